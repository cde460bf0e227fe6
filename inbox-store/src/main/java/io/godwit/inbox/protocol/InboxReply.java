package io.godwit.inbox.protocol;

import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.client.StoredSubscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The answer to a command that did not fail. Immutable; arrays are shared and never modified. */
public sealed interface InboxReply {
    /** The command was carried out. */
    InboxReply DONE = new Done();

    /** See {@link #DONE}. */
    record Done() implements InboxReply {}

    /** The session is open: the fields of {@link io.godwit.inbox.client.AttachReply} without the attachment. */
    @SuppressWarnings("ArrayRecordComponent")
    record Attached(
            boolean sessionPresent,
            long incarnation,
            long attachNumber,
            List<StoredSubscription> subscriptions,
            int[] inbound)
            implements InboxReply {
        public Attached {
            subscriptions = List.copyOf(subscriptions);
        }

        /** The same with more subscriptions in front. */
        public Attached behind(List<StoredSubscription> others) {
            List<StoredSubscription> all = new ArrayList<>(others);
            all.addAll(subscriptions);
            return new Attached(sessionPresent, incarnation, attachNumber, all, inbound);
        }

        /** With attach number 0. */
        public Attached(
                boolean sessionPresent, long incarnation, List<StoredSubscription> subscriptions, int[] inbound) {
            this(sessionPresent, incarnation, 0, subscriptions, inbound);
        }
    }

    /** A yes or no; the command defines its meaning. */
    record Flag(boolean isSet) implements InboxReply {
        private static final Flag YES = new Flag(true);
        private static final Flag NO = new Flag(false);

        public static Flag of(boolean isSet) {
            return isSet ? YES : NO;
        }
    }

    /** A yes or no for each element of the command, in order. */
    record Flags(List<Boolean> areSet) implements InboxReply {
        public Flags {
            areSet = List.copyOf(areSet);
        }
    }

    /**
     * The result of {@link SessionCommand.Purge}.
     *
     * @param hasSession false when there is none, and nothing was done
     * @param messages number removed from the queue
     * @param kept number that may have been sent at QoS 1 or 2, and stay
     */
    record Purged(boolean hasSession, int messages, int kept) implements InboxReply {
        public static final Purged NO_SESSION = new Purged(false, 0, 0);

        public Purged {
            if (messages < 0 || kept < 0) {
                throw new IllegalArgumentException("no counts: " + messages + " and " + kept);
            }
        }
    }

    /**
     * The result of a {@link SessionCommand.ChangeFilters}.
     *
     * @param incarnation of the session; 0 unless the outcome is {@code DONE}
     * @param attachNumber of the session; 0 unless the outcome is {@code DONE}
     * @param flags for each filter, whether it was new (adding) or existed (removing)
     */
    record FiltersChanged(Outcome outcome, long incarnation, long attachNumber, List<Boolean> flags)
            implements InboxReply {
        /** Whether the change was made, and why not. */
        public enum Outcome {
            NO_SESSION,
            /** A connection has the session, or may still continue it. */
            HELD,
            DONE
        }

        public static final FiltersChanged NO_SESSION = new FiltersChanged(Outcome.NO_SESSION, 0, 0, List.of());
        public static final FiltersChanged HELD = new FiltersChanged(Outcome.HELD, 0, 0, List.of());

        public FiltersChanged {
            flags = List.copyOf(flags);
        }
    }

    record Owner(SessionOwner owner) implements InboxReply {}

    record Replay(ReplayOutcome outcome) implements InboxReply {}

    /** The state of a QoS 2 packet id. */
    record Received(InboxAttachment.Inbound inbound) implements InboxReply {}

    /** The outcome of each copy, in the order of the targets. */
    record Inserted(List<InsertOutcome> outcomes) implements InboxReply {
        public Inserted {
            outcomes = List.copyOf(outcomes);
        }
    }

    /**
     * As {@link Inserted}, when leaders of some of the inboxes have ended. A copy without an outcome was not stored,
     * unless it is in {@code lost}. Only an {@link InboxHome} answers so.
     *
     * @param lost numbers of copies that may be stored, or may have been sent to their client; they have no outcome
     */
    record InsertedInPart(List<Optional<InsertOutcome>> outcomes, Set<Integer> lost) implements InboxReply {
        public InsertedInPart {
            outcomes = List.copyOf(outcomes);
            lost = Set.copyOf(lost);
        }
    }
}
