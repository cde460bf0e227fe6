package io.godwit.inbox.edge;

import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.RangeException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The future of a call whose command has been sent. */
final class PendingAnswer<T extends @Nullable Object> extends CompletableFuture<T> implements Answer {
    /** For calls that return nothing. */
    static final Function<InboxReply, @Nullable Void> NOTHING = reply -> {
        if (!(reply instanceof InboxReply.Done)) {
            throw new ClassCastException("an answer that says more: " + reply);
        }
        return null;
    };

    private final Function<InboxReply, T> valueOf;

    /** @param valueOf result of the call for a reply; throws for a reply of another kind */
    PendingAnswer(Function<InboxReply, T> valueOf) {
        this.valueOf = valueOf;
    }

    @Override
    public void reply(InboxReply reply) {
        T value;
        try {
            value = valueOf.apply(reply);
        } catch (ClassCastException e) {
            completeExceptionally(
                    new RangeException(RangeException.Cause.STORE_FAILED, "not an answer to this: " + reply));
            return;
        }
        complete(value);
    }

    @Override
    public void fail(RangeException cause) {
        completeExceptionally(cause);
    }
}
