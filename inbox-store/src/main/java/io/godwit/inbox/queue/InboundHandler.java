package io.godwit.inbox.queue;

import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of QoS 2 (MQTT 5.0, 4.3.3): the message is stored with its packet id and its delivery token before it is distributed, so that a repeat of the
 * PUBLISH, or a restart, goes on where the first stopped. Owned by the range leader.
 *
 * <p>Token numbers are sequences of the inbox, so they are never used twice either.
 */
final class InboundHandler {
    private static final long RETRY_MILLIS = 1000;

    private final InboxLeader leader;

    InboundHandler(InboxLeader leader) {
        this.leader = leader;
    }

    void receive(InboxState state, int packetId, Message message, CompletableFuture<Inbound> answer) {
        Session session = state.session;
        if (session == null) {
            answer.completeExceptionally(Mailbox.closed());
            return;
        }
        InboundFlows flows = state.inbound();
        InboundFlows.Flow known = flows.get(packetId);
        if (known == null) {
            InboundFlows.Flow flow = new InboundFlows.Flow(packetId, leader.takeSequence(state), message);
            flows.put(flow);
            state.hasData = true;
            write(state, flow);
            Batch batch = leader.openBatch();
            flow.pending = batch;
            batch.whenDone(new Answering<>(leader, state, answer, stateOf(state, session, flow)));
            return;
        }
        if (known.resuming != null) {
            known.resuming.add(new Mailbox.Call() {
                @Override
                public void run() {
                    answer.complete(stateOf(state, session, known));
                }

                @Override
                public void fail(RangeException cause) {
                    answer.completeExceptionally(cause);
                }
            });
            return;
        }
        Batch pending = known.pending;
        if (pending != null && !pending.isDone()) {
            pending.whenDone(new Answering<>(leader, state, answer, stateOf(state, session, known)));
        } else {
            answer.complete(stateOf(state, session, known));
        }
    }

    void distributed(InboxState state, int packetId, CompletableFuture<@Nullable Void> answer) {
        InboundFlows.Flow flow = state.inbound().get(packetId);
        if (flow == null) {
            answer.complete(null); // released meanwhile
            return;
        }
        markDistributed(state, flow);
        leader.openBatch().whenDone(new Answering<@Nullable Void>(leader, state, answer, null));
    }

    void release(InboxState state, int packetId, CompletableFuture<Boolean> answer) {
        InboundFlows.Flow flow = state.inbound().remove(packetId);
        if (flow == null) {
            answer.complete(false);
            return;
        }
        Batch batch = leader.openBatch();
        batch.delete(state, InboxKeys.inboundSuffix(packetId));
        batch.whenDone(new Answering<>(leader, state, answer, true));
    }

    /** Distributes, one after the other, what an earlier process has stored and not distributed. */
    void resume(InboxState state) {
        InboundFlows flows = state.inbound;
        if (flows == null || state.discarded) {
            return;
        }
        List<InboundFlows.Flow> open = flows.undistributed();
        if (open.isEmpty() || open.get(0).resuming != null) {
            return;
        }
        for (InboundFlows.Flow flow : open) {
            flow.resuming = new ArrayList<>();
        }
        state.activities++;
        resumeNext(state, flows, open, 0);
    }

    private void resumeNext(InboxState state, InboundFlows flows, List<InboundFlows.Flow> open, int index) {
        Session session = state.session;
        if (index == open.size() || session == null || state.inbound != flows || state.discarded) {
            state.activities--;
            return;
        }
        InboundFlows.Flow flow = open.get(index);
        Message message = flow.message;
        if (message == null || flows.get(flow.packetId) != flow) {
            finishResuming(flow);
            resumeNext(state, flows, open, index + 1);
            return;
        }
        leader.outside()
                .publish()
                .publish(
                        session.client,
                        message,
                        InboxState.origin(state.id, session.incarnation),
                        flow.number,
                        flows.finishedBelow(flow.number))
                .whenComplete((done, failure) -> leader.context().execute(() -> {
                    if (!Boolean.TRUE.equals(done)) {
                        leader.context().schedule(RETRY_MILLIS, () -> resumeNext(state, flows, open, index));
                        return;
                    }
                    if (state.inbound == flows && !state.discarded) {
                        markDistributed(state, flow);
                        leader.openBatch().whenDone(new Resumed(state, flow));
                    }
                    resumeNext(state, flows, open, index + 1);
                }));
    }

    /** Fails who waits for a flow: its session is over, or the leader. */
    void stop(InboxState state, RangeException cause) {
        InboundFlows flows = state.inbound;
        if (flows == null) {
            return;
        }
        for (InboundFlows.Flow flow : flows.all()) {
            List<Mailbox.Call> waiting = flow.resuming;
            flow.resuming = null;
            if (waiting != null) {
                waiting.forEach(call -> call.fail(cause));
            }
        }
    }

    private static void finishResuming(InboundFlows.Flow flow) {
        List<Mailbox.Call> waiting = flow.resuming;
        flow.resuming = null;
        if (waiting != null) {
            waiting.forEach(Mailbox.Call::run);
        }
    }

    private void markDistributed(InboxState state, InboundFlows.Flow flow) {
        if (!flow.isDistributed()) {
            flow.message = null;
            write(state, flow);
            flow.pending = leader.openBatch();
        }
    }

    private void write(InboxState state, InboundFlows.Flow flow) {
        leader.openBatch().put(state, InboxKeys.inboundSuffix(flow.packetId), flow.encode());
    }

    private static Inbound stateOf(InboxState state, Session session, InboundFlows.Flow flow) {
        InboundFlows flows = state.inbound();
        return new Inbound(
                flow.isDistributed(),
                flow.message,
                InboxState.origin(state.id, session.incarnation),
                flow.number,
                flows.finishedBelow(flow.number));
    }

    /** The distribution that the leader did itself is on record. */
    private final class Resumed implements Batch.Waiter {
        private final InboxState state;
        private final InboundFlows.Flow flow;

        Resumed(InboxState state, InboundFlows.Flow flow) {
            this.state = state;
            this.flow = flow;
        }

        @Override
        public void applied() {
            finishResuming(flow);
        }

        @Override
        public void failed(RangeException cause) {
            leader.discard(state);
            stop(state, cause);
        }
    }
}
