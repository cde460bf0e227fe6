package io.godwit.inbox.ledger;

import io.godwit.kv.client.RangeException;

/** A write that is, or was, on its way into the store. Used only by the range leader that began it. */
public interface Pending {
    /** Whether the write was applied, failed or was cancelled. */
    boolean isDone();

    /** @param waiter called once, after those that joined before it; must not be added when the write is done */
    void whenDone(Waiter waiter);

    /** Receives the outcome of a write, in the order of joining. */
    interface Waiter {
        void applied();

        void failed(RangeException cause);
    }
}
