package io.godwit.inbox.ledger;

import io.godwit.kv.client.RangeException;

/** A write that is, or was, on its way into the store. Used by the range leader that has begun it. */
public interface Pending {
    /** Applied, failed or taken back. */
    boolean isDone();

    /** @param waiter told once, behind those that came before it; not to be called when it is done */
    void whenDone(Waiter waiter);

    /** Learns what became of a write; told in the order of joining. */
    interface Waiter {
        void applied();

        void failed(RangeException cause);
    }
}
