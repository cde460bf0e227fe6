package io.godwit.inbox.queue;

import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.LeaderRequest;
import io.godwit.kv.client.RangeException;
import org.jspecify.annotations.Nullable;

/** A command about one session on its way to the leader, with who waits for the answer. */
final class SessionCall implements LeaderRequest {
    private final SessionCommand command;
    private final InboxId id;
    private final byte[] prefix;
    private final @Nullable DeliveryStream deliveries;
    private final Answer answer;

    /** @param deliveries null for commands that ask for none */
    SessionCall(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {
        this.command = command;
        this.id = command.inbox();
        this.prefix = InboxKeys.prefix(id.tenant(), id.clientId());
        this.deliveries = deliveries;
        this.answer = answer;
    }

    SessionCommand command() {
        return command;
    }

    InboxId id() {
        return id;
    }

    byte[] prefix() {
        return prefix;
    }

    /** Of a command that opens an attachment. */
    DeliveryStream deliveries() {
        DeliveryStream stream = deliveries;
        if (stream == null) {
            throw new IllegalStateException("an attachment without a stream: " + command);
        }
        return stream;
    }

    Answer answer() {
        return answer;
    }

    @Override
    public void fail(RangeException cause) {
        answer.fail(cause);
    }
}
