package io.godwit.inbox.leader.qos;

import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.leader.delivery.Attachment;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.leader.queue.Mailbox;
import io.godwit.inbox.leader.queue.Writes;
import io.godwit.inbox.leader.session.LeaderSession;
import io.godwit.inbox.leader.state.Answering;
import io.godwit.inbox.leader.state.DiscardOnFailure;
import io.godwit.inbox.leader.state.InboxState;
import io.godwit.inbox.leader.state.InboxStates;
import io.godwit.inbox.leader.state.Surroundings;
import io.godwit.inbox.ledger.InboundFlows;
import io.godwit.inbox.ledger.Pending;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.kv.client.Backoff;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of QoS 2 (MQTT 5.0, 4.3.3). A message is stored with its packet id and its delivery token before
 * it is distributed, so that a repeated PUBLISH continues where the first stopped. If no repeat comes, after a restart
 * or the end of the connection, the leader distributes the message itself ({@link #resume}), under the same token.
 * Owned by the range leader.
 *
 * <p>Order: no receiver may get a message before an earlier one of the session that is still to be distributed. While
 * the leader distributes messages of an ended connection, a new message is stored but its answer waits
 * ({@link InboundFlows#holdBack}). After a message that could not be stored, later ones are refused
 * ({@link #writeReceived}, {@link Attachment#refuseReceives}), because its client will send it again. Messages
 * distributed at the same time share a {@link RequestOrder}.
 *
 * <p>Token numbers are sequences of the inbox, so they are never used twice either.
 */
public final class InboundHandler {
    /** How long after its end a connection may still be distributing its messages. */
    public static final long GRACE_MILLIS = 1000;

    private static final long FIRST_RETRY_MILLIS = 1000;
    private static final long LAST_RETRY_MILLIS = 30_000;

    private final LeaderContext context;
    private final Writes writes;
    private final InboxStates states;
    private final FinishedTokens finished;
    private final Surroundings.Publish publish;
    private final Resend untilOver;
    private final Backoff backoff;

    /** @param untilOver abandoned when the leadership is over */
    public InboundHandler(
            LeaderContext context,
            Writes writes,
            InboxStates states,
            FinishedTokens finished,
            Surroundings outside,
            Resend untilOver) {
        this.context = context;
        this.writes = writes;
        this.states = states;
        this.finished = finished;
        this.publish = outside.publish();
        this.untilOver = untilOver;
        this.backoff = new Backoff(FIRST_RETRY_MILLIS, LAST_RETRY_MILLIS, outside.random());
    }

    public void receive(InboxState state, int packetId, Message message, Answer answer) {
        LeaderSession session = state.session();
        if (session == null) {
            answer.fail(Mailbox.closed());
            return;
        }
        InboundFlows flows = state.queue.inbound();
        InboundFlows.Flow known = flows.get(packetId);
        if (known == null) {
            RangeException full = writes.diskFull();
            if (full != null) {
                Attachment attachment = state.attachment();
                if (attachment != null && session.client().protocolLevel() < 5) {
                    attachment.refuseReceives(full); // its connection will be closed: 3.1.1 has no error code for this
                }
                answer.fail(full);
                return;
            }
            InboundFlows.Flow flow = new InboundFlows.Flow(packetId, writes.takeSequence(state), message);
            flows.put(flow);
            state.queue.setHasData();
            writeReceived(state, flow);
            answerInOrder(state, session, flow, null, answer);
        } else if (known.isResuming()) {
            known.awaitResumed(answerLater(state, session, known, known.message(), answer));
        } else {
            answerInOrder(state, session, known, known.message(), answer);
        }
    }

    /** Answers after the messages that the leader is distributing, except for a message that is already distributed. */
    private void answerInOrder(
            InboxState state,
            LeaderSession session,
            InboundFlows.Flow flow,
            @Nullable Message repeated,
            Answer answer) {
        InboundFlows flows = state.queue.inbound();
        if (flows.isHoldingBack() && !flow.isDistributed()) {
            Pending pending = flow.pending();
            if (pending != null && !pending.isDone()) { // its answer comes later, and must not be for a failed write
                pending.whenDone(new DiscardOnFailure(states, state));
            }
            flows.awaitTurn(answerLater(state, session, flow, repeated, answer));
        } else {
            answerOnceStored(state, session, flow, repeated, answer);
        }
    }

    private Pending.Waiter answerLater(
            InboxState state,
            LeaderSession session,
            InboundFlows.Flow flow,
            @Nullable Message repeated,
            Answer answer) {
        return new Pending.Waiter() {
            @Override
            public void applied() {
                answerOnceStored(state, session, flow, repeated, answer);
            }

            @Override
            public void failed(RangeException cause) {
                answer.fail(cause);
            }
        };
    }

    /** @param repeated the stored message of the packet id; null when the message has just been received */
    private void answerOnceStored(
            InboxState state,
            LeaderSession session,
            InboundFlows.Flow flow,
            @Nullable Message repeated,
            Answer answer) {
        InboxReply inbound = new InboxReply.Received(stateOf(state, session, flow, repeated));
        Pending pending = flow.pending();
        if (pending != null && !pending.isDone()) {
            pending.whenDone(new Answering(states, state, answer, inbound));
        } else {
            answer.reply(inbound);
        }
    }

    /**
     * Marks a message as distributed, if it is still the one with token {@code number}. The caller's connection and its
     * session may be gone.
     *
     * @return false, without an answer, when there is no such message: released meanwhile, or never received
     */
    public boolean distributed(InboxState state, int packetId, long number, Answer answer) {
        InboundFlows flows = state.queue.knownInbound();
        InboundFlows.Flow flow = flows == null ? null : flows.get(packetId);
        if (flow == null || flow.number != number) {
            return false;
        }
        Message message = flow.message();
        markDistributed(state, flow);
        LeaderSession session = state.session();
        if (session != null) {
            finished.tell(state, message, InboxState.origin(state.id, session.incarnation), flow.number);
        }
        writes.openBatch().whenDone(new Answering(states, state, answer, InboxReply.DONE));
        return true;
    }

    /** The same for callers that know only the token number. */
    public boolean distributed(InboxState state, long number, Answer answer) {
        InboundFlows flows = state.queue.knownInbound();
        InboundFlows.Flow flow = flows == null ? null : flows.unfinished(number);
        return flow != null && distributed(state, flow.packetId, number, answer);
    }

    public void release(InboxState state, int packetId, Answer answer) {
        InboundFlows flows = state.queue.inbound();
        InboundFlows.Flow flow = flows.remove(packetId);
        if (flow != null) {
            Batch batch = writes.openBatch();
            batch.delete(state, InboxKeys.inboundSuffix(packetId));
            batch.whenDone(new Answering(states, state, answer, InboxReply.Flag.of(true)));
            flows.releasedBy(batch);
            return;
        }
        // a repeated PUBREL: after PUBCOMP the client may reuse the packet id, so this one waits for the commit of the
        // first
        Pending before = flows.lastRelease();
        if (before != null && !before.isDone()) {
            before.whenDone(new Answering(states, state, answer, InboxReply.Flag.of(false)));
        } else {
            answer.reply(InboxReply.Flag.of(false));
        }
    }

    /**
     * After a delay, distributes messages that the detached connection may have left undistributed. Its client may
     * never come back.
     */
    public void resumeLater(InboxState state) {
        InboxId id = state.id;
        byte[] prefix = state.prefix;
        context.schedule(
                GRACE_MILLIS,
                () -> states.whenReady(id, prefix, new InboxState.Request() {
                    @Override
                    public void run(InboxState now) {
                        resumeUnlessAttached(now);
                    }

                    @Override
                    public void fail(RangeException cause) {
                        // the load error is logged there; the next load of the inbox resumes
                    }
                }));
    }

    private void resumeUnlessAttached(InboxState state) {
        if (!state.isHeld()) {
            resume(state);
        }
    }

    /**
     * Distributes the stored undistributed messages, in order and under their tokens, because their connection is gone.
     * One {@link Resumption} at a time: messages that a further connection has left join the present one.
     */
    public void resume(InboxState state) {
        InboundFlows flows = state.queue.knownInbound();
        if (flows == null || state.residency.isDiscarded()) {
            return;
        }
        List<InboundFlows.Flow> open = flows.undistributed().stream()
                .filter(flow -> !flow.isResuming())
                .toList();
        if (open.isEmpty()) {
            return;
        }
        // an unstored message may be lost, and its client would then publish it again under another token
        Pending pending = open.get(open.size() - 1).pending();
        if (pending != null && !pending.isDone()) {
            pending.whenDone(new Pending.Waiter() {
                @Override
                public void applied() {
                    context.execute(() -> resumeUnlessAttached(state));
                }

                @Override
                public void failed(RangeException cause) {
                    states.discard(state);
                }
            });
            return;
        }
        for (InboundFlows.Flow flow : open) {
            flow.beginResuming();
        }
        InboundFlows.Resumer present = flows.resumer();
        if (present != null) {
            present.add(open);
            return;
        }
        Resumption resumption = new Resumption(state, flows);
        flows.holdBack(resumption);
        state.residency.workBegins();
        resumption.add(open);
    }

    private void markDistributed(InboxState state, InboundFlows.Flow flow) {
        if (!flow.isDistributed()) {
            flow.distributed();
            write(state, flow);
        }
    }

    /**
     * Left out if an earlier change of the session, perhaps an earlier message, fails meanwhile: this message's client
     * is then told that it is not stored, and sends both again. If this one were stored, it would be distributed before
     * the earlier one.
     */
    private void writeReceived(InboxState state, InboundFlows.Flow flow) {
        Batch batch = writes.openBatch();
        batch.putUnlessDiscarded(state, InboxKeys.inboundSuffix(flow.packetId), flow.encode());
        flow.writtenBy(batch);
    }

    private void write(InboxState state, InboundFlows.Flow flow) {
        Batch batch = writes.openBatch();
        batch.put(state, InboxKeys.inboundSuffix(flow.packetId), flow.encode());
        flow.writtenBy(batch);
    }

    private static Inbound stateOf(
            InboxState state, LeaderSession session, InboundFlows.Flow flow, @Nullable Message repeated) {
        InboundFlows flows = state.queue.inbound();
        return new Inbound(
                flow.isDistributed(),
                flow.isDistributed() ? null : repeated,
                InboxState.origin(state.id, session.incarnation),
                flow.number,
                flows.finishedBelow(flow.number));
    }

    /**
     * Distributes a list of undistributed messages. They leave in order, many at a time; a message with RETAIN leaves
     * alone, because it goes through another store. If some could not be distributed, they are tried again before any
     * other leaves, with growing pauses.
     */
    private final class Resumption implements InboundFlows.Resumer {
        private static final int MAX_UNDER_WAY = 64;

        private final InboxState state;
        private final InboundFlows flows;
        private final List<InboundFlows.Flow> open = new ArrayList<>();
        private int next;
        /** For the messages under way since the last attempt at all of them. */
        private RequestOrder order = new RequestOrder();

        private int underWay;
        private boolean isAlone;
        private boolean hasFailed;
        /** Attempts in a row without any success. */
        private int failures;

        Resumption(InboxState state, InboundFlows flows) {
            this.state = state;
            this.flows = flows;
        }

        @Override
        public void add(List<InboundFlows.Flow> more) {
            open.addAll(more);
            if (!hasFailed) { // after a failure the next attempt includes them
                goOn();
            }
        }

        private void goOn() {
            LeaderSession session =
                    state.queue.knownInbound() == flows && !state.residency.isDiscarded() ? state.session() : null;
            while (session != null && next < open.size()) {
                InboundFlows.Flow flow = open.get(next);
                Message message = flow.message();
                if (message == null || isOver(flow)) {
                    next++;
                    flow.resumed();
                    continue;
                }
                if (hasFailed || isAlone || underWay == MAX_UNDER_WAY || message.retain() && underWay > 0) {
                    return;
                }
                next++;
                underWay++;
                isAlone = message.retain();
                distribute(session.client(), session.incarnation, flow, message);
            }
            if (underWay == 0) {
                state.residency.workEnds();
                if (session != null) {
                    flows.releaseBehind();
                    resumeUnlessAttached(state); // a connection may have come, left messages, and gone
                }
            }
        }

        /** Whether it was marked by its first connection, or released. */
        private boolean isOver(InboundFlows.Flow flow) {
            return flow.isDistributed() || flows.get(flow.packetId) != flow;
        }

        private void distribute(ClientInfo client, long incarnation, InboundFlows.Flow flow, Message message) {
            String origin = InboxState.origin(state.id, incarnation);
            publish.publish(
                            client,
                            message,
                            origin,
                            flow.number,
                            flows.finishedBelow(flow.number),
                            message.receivedAtMillis(),
                            order,
                            untilOver)
                    .whenComplete((done, failure) ->
                            context.execute(() -> published(flow, origin, Boolean.TRUE.equals(done))));
        }

        private void published(InboundFlows.Flow flow, String origin, boolean done) {
            underWay--;
            isAlone = false;
            if (!done) {
                order.failed(flow.number);
                hasFailed = true;
            } else {
                failures = 0;
                if (state.queue.knownInbound() == flows && !state.residency.isDiscarded()) {
                    if (flows.get(flow.packetId) == flow) { // else it was released, and its record must stay deleted
                        Message message = flow.message();
                        writes.closeFullBatch();
                        markDistributed(state, flow);
                        finished.tell(state, message, origin, flow.number);
                        writes.openBatch().whenDone(new DiscardOnFailure(states, state));
                    }
                    flow.resumed();
                }
            }
            if (!hasFailed) {
                goOn();
            } else if (underWay == 0) {
                failures++;
                context.schedule(backoff.pause(failures), this::tryAgain);
            }
        }

        private void tryAgain() {
            hasFailed = false;
            order = new RequestOrder();
            open.stream().filter(this::isOver).forEach(InboundFlows.Flow::resumed);
            open.removeIf(this::isOver); // further connections may add many
            next = 0;
            goOn();
        }
    }
}
