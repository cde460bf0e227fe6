package io.godwit.inbox.leader.qos;

import io.godwit.inbox.leader.queue.Inbox;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.state.Surroundings;
import io.godwit.inbox.ledger.Pending;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.message.Message;
import org.jspecify.annotations.Nullable;

/** Reports that nothing more is published under a delivery token of the range. Owned by the range leader. */
public final class FinishedTokens {
    private final Writes writes;
    private final Surroundings.Finished finished;

    public FinishedTokens(Writes writes, Surroundings.Finished finished) {
        this.writes = writes;
        this.finished = finished;
    }

    /** Once the present batch is stored, nothing more is published under the token: notifies all who remember it. */
    public void tell(Inbox state, @Nullable Message message, String tokenOrigin, long tokenNumber) {
        writes.openBatch().whenDone(new Pending.Waiter() {
            @Override
            public void applied() {
                finished.finished(state.id.tenant(), message, tokenOrigin, tokenNumber);
            }

            @Override
            public void failed(RangeException cause) {}
        });
    }
}
