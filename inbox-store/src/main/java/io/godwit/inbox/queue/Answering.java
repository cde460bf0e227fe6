package io.godwit.inbox.queue;

import io.godwit.kv.client.RangeException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Completes a future once a change of a session is in the store. When it cannot be written the memory is ahead of the
 * store, so the state is discarded. So it is when an earlier change could not be written: then the answer tells what
 * the store does not know, and the future fails too.
 */
final class Answering<T extends @Nullable Object> implements Batch.Waiter {
    private final InboxLeader leader;
    private final InboxState state;
    private final CompletableFuture<T> future;
    private final @Nullable T answer;

    Answering(InboxLeader leader, InboxState state, CompletableFuture<T> future, @Nullable T answer) {
        this.leader = leader;
        this.state = state;
        this.future = future;
        this.answer = answer;
    }

    @Override
    public void applied() {
        if (state.discarded) {
            future.completeExceptionally(Mailbox.closed());
        } else {
            future.complete(answer);
        }
    }

    @Override
    public void failed(RangeException cause) {
        leader.states().discard(state);
        future.completeExceptionally(cause);
    }
}
