package io.godwit.inbox.leader.state;

import io.godwit.inbox.ledger.Pending;
import io.godwit.kv.client.RangeException;

/** For changes without a waiter: if they cannot be written, memory is ahead of the store, so the state is discarded. */
public final class DiscardOnFailure implements Pending.Waiter {
    private final InboxStates states;
    private final InboxState state;

    public DiscardOnFailure(InboxStates states, InboxState state) {
        this.states = states;
        this.state = state;
    }

    @Override
    public void applied() {}

    @Override
    public void failed(RangeException cause) {
        states.discard(state);
    }
}
