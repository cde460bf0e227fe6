package io.godwit.inbox.protocol;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.ContinueRequest;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;

/**
 * A command to the leader of an inbox about its session. Immutable. The methods of
 * {@link io.godwit.inbox.client.InboxClient} describe what each does.
 */
public sealed interface SessionCommand {
    /** The inbox that the command is about; it decides which leader gets the command. */
    InboxId inbox();

    /** Calls the method for this command. */
    void choose(Cases cases);

    /** One method for each command. */
    interface Cases {
        void attach(Attach command);

        void goOn(Continue command);

        void owner(Owner command);

        void keepWill(KeepWill command);

        void markDistributed(MarkDistributed command);

        void markKept(MarkKept command);

        void delete(Delete command);

        void purge(Purge command);

        void changeFilters(ChangeFilters command);

        void detachLate(DetachLate command);
    }

    /**
     * Opens the session of a connection. Comes with a {@link DeliveryStream}; answered with {@link
     * InboxReply.Attached}.
     */
    record Attach(AttachRequest request) implements SessionCommand {
        @Override
        public InboxId inbox() {
            return InboxId.of(request.client());
        }

        @Override
        public void choose(Cases cases) {
            cases.attach(this);
        }
    }

    /**
     * Continues an attachment at the next leader. Comes with a {@link DeliveryStream}; answered with
     * {@link InboxReply.Flag}, whether that is possible.
     */
    record Continue(ContinueRequest request) implements SessionCommand {
        @Override
        public InboxId inbox() {
            return InboxId.of(request.client());
        }

        @Override
        public void choose(Cases cases) {
            cases.goOn(this);
        }
    }

    /** Asks who owns the session, from the point of view of {@code client}. Answered with {@link InboxReply.Owner}. */
    record Owner(ClientInfo client) implements SessionCommand {
        @Override
        public InboxId inbox() {
            return InboxId.of(client);
        }

        @Override
        public void choose(Cases cases) {
            cases.owner(this);
        }
    }

    /** Begins a session only to keep its will. Answered with {@link InboxReply#DONE}. */
    record KeepWill(ClientInfo client, long expirySeconds, Will will, boolean isRecorded) implements SessionCommand {
        @Override
        public InboxId inbox() {
            return InboxId.of(client);
        }

        @Override
        public void choose(Cases cases) {
            cases.keepWill(this);
        }
    }

    /**
     * The QoS 2 message of {@code packetId} was distributed. Also works after the end of the attachment that received
     * it. Answered with {@link InboxReply#DONE}.
     *
     * @param incarnation of the session; nothing is marked in another one
     */
    record MarkDistributed(InboxId inbox, long incarnation, int packetId, long tokenNumber) implements SessionCommand {
        @Override
        public void choose(Cases cases) {
            cases.markDistributed(this);
        }
    }

    /**
     * The QoS 2 message with that token was distributed or is kept. For callers that know only the token. Answered with
     * {@link InboxReply#DONE}.
     *
     * @param originDigest {@link io.godwit.inbox.client.OriginDigest} of the token's origin; nothing is marked if the
     *     session has another origin
     */
    record MarkKept(InboxId inbox, long tokenNumber, String originDigest) implements SessionCommand {
        @Override
        public void choose(Cases cases) {
            cases.markKept(this);
        }
    }

    /**
     * The end of a connection whose attachment had already ended with {@code UNAVAILABLE}. How the connection ended
     * counts only if its inbox has not been loaded again since. Answered with {@link InboxReply#DONE}.
     *
     * @param expirySeconds Session Expiry Interval of the DISCONNECT, -1 to keep that of the CONNECT
     */
    record DetachLate(InboxId inbox, long incarnation, long expirySeconds, boolean publishWill)
            implements SessionCommand {
        @Override
        public void choose(Cases cases) {
            cases.detachLate(this);
        }
    }

    /**
     * Empties the queue of the session, except for messages that may have been sent. Answered with
     * {@link InboxReply.Purged}.
     *
     * @param resend abandoned when the caller no longer waits; not sent to other nodes
     */
    record Purge(InboxId inbox, Resend resend) implements SessionCommand {
        public Purge(InboxId inbox) {
            this(inbox, Resend.ALWAYS);
        }

        @Override
        public void choose(Cases cases) {
            cases.purge(this);
        }
    }

    /**
     * Changes the subscriptions of a session that has no connection. Answered with {@link InboxReply.FiltersChanged}.
     *
     * @param countsAttachment whether the session gets the next attach number, as if a connection had attached
     * @param added subscriptions to add or replace; if there are any, {@code removed} must be empty
     * @param resend abandoned when the caller no longer waits; not sent to other nodes
     */
    record ChangeFilters(
            InboxId inbox,
            boolean countsAttachment,
            List<StoredSubscription> added,
            List<TopicFilter> removed,
            Resend resend)
            implements SessionCommand {
        public ChangeFilters {
            added = List.copyOf(added);
            removed = List.copyOf(removed);
            if (!added.isEmpty() && !removed.isEmpty()) {
                throw new IllegalArgumentException("filters are added or removed, not both");
            }
        }

        @Override
        public void choose(Cases cases) {
            cases.changeFilters(this);
        }
    }

    /**
     * Ends the session. Answered with {@link InboxReply.Flag}, whether there was one.
     *
     * @param discardsWill whether to end only a session that has a will, and not publish it
     * @param isForOperator whether an operator ends it, and not its client; only reports differ
     * @param resend abandoned when the caller has ended; not sent to other nodes
     */
    record Delete(InboxId inbox, boolean discardsWill, boolean isForOperator, Resend resend) implements SessionCommand {
        /** The client of the inbox gives its session up. */
        public static Delete forClient(InboxId inbox, Resend resend) {
            return new Delete(inbox, false, false, resend);
        }

        /** An operator deletes the session. */
        public static Delete forOperator(InboxId inbox) {
            return new Delete(inbox, false, true, Resend.ALWAYS);
        }

        /** An operator cancels the will, and with it the session that keeps it. */
        public static Delete discardingWill(InboxId inbox, Resend resend) {
            return new Delete(inbox, true, false, resend);
        }

        @Override
        public void choose(Cases cases) {
            cases.delete(this);
        }
    }
}
