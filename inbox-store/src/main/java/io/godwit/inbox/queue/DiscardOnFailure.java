package io.godwit.inbox.queue;

import io.godwit.kv.client.RangeException;

/** For changes that nobody waits for: when they cannot be written, the memory is ahead of the store. */
final class DiscardOnFailure implements Batch.Waiter {
    private final InboxLeader leader;
    private final InboxState state;

    DiscardOnFailure(InboxLeader leader, InboxState state) {
        this.leader = leader;
        this.state = state;
    }

    @Override
    public void applied() {}

    @Override
    public void failed(RangeException cause) {
        leader.states().discard(state);
    }
}
