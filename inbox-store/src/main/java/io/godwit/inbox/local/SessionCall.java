package io.godwit.inbox.local;

import io.godwit.inbox.client.SessionOwner;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.RefusalGate;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import org.jspecify.annotations.Nullable;

/** A command about one session on its way to the leader, with the receiver of its answer. */
public final class SessionCall implements LeaderRequest {
    private final SessionCommand command;
    private final InboxId id;
    private final byte[] prefix;
    private final @Nullable DeliveryStream deliveries;
    private final Answer answer;
    /** Set for a call that does not wait for a leader; null for others. */
    private final @Nullable RefusalGate gate;

    private final long round;

    /** @param deliveries null for commands that open no attachment */
    public SessionCall(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {
        this(command, deliveries, answer, null, 0);
    }

    /** A call that does not wait for a leader; {@code gate} may refuse it. */
    public SessionCall(
            SessionCommand command,
            @Nullable DeliveryStream deliveries,
            Answer answer,
            @Nullable RefusalGate gate,
            long round) {
        this.gate = gate;
        this.round = round;
        this.command = command;
        this.id = command.inbox();
        this.prefix = InboxKeys.prefix(id.tenant(), id.clientId());
        this.deliveries = deliveries;
        this.answer = gate == null ? answer : new Refusing(answer, gate);
    }

    /** Records a refusal at the gate before anyone else learns of it. */
    private final class Refusing implements Answer {
        private final Answer answer;
        private final RefusalGate gate;

        Refusing(Answer answer, RefusalGate gate) {
            this.answer = answer;
            this.gate = gate;
        }

        @Override
        public void reply(InboxReply reply) {
            answer.reply(reply);
        }

        @Override
        public void fail(RangeException cause) {
            if (Refusals.isNotBegun(cause)) {
                gate.refused(id, round);
            }
            answer.fail(cause);
        }
    }

    public SessionCommand command() {
        return command;
    }

    public InboxId id() {
        return id;
    }

    public byte[] prefix() {
        return prefix;
    }

    /** The answer to a command that changes nothing when there is no session; null for others. */
    public @Nullable InboxReply withoutSession() {
        if (command instanceof SessionCommand.Owner) {
            return new InboxReply.Owner(SessionOwner.NO_SESSION);
        }
        if (command instanceof SessionCommand.Delete) {
            return InboxReply.Flag.of(false);
        }
        if (command instanceof SessionCommand.Purge) {
            return InboxReply.Purged.NO_SESSION;
        }
        if (command instanceof SessionCommand.ChangeFilters) {
            return InboxReply.FiltersChanged.NO_SESSION;
        }
        return command instanceof SessionCommand.MarkKept ? InboxReply.DONE : null;
    }

    /** The stream of a command that opens an attachment. */
    public DeliveryStream deliveries() {
        DeliveryStream stream = deliveries;
        if (stream == null) {
            throw new IllegalStateException("an attachment without a stream: " + command);
        }
        return stream;
    }

    public Answer answer() {
        return answer;
    }

    @Override
    public boolean waitsForLeader() {
        return gate == null;
    }

    /** Whether an earlier command for the inbox was refused and the sender did not know. */
    public boolean mayNotPass() {
        return gate != null && !gate.passes(id, round);
    }

    @Override
    public void fail(RangeException cause) {
        answer.fail(cause);
    }
}
