package io.godwit.inbox.leader;

import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.inbox.format.InboxKeys;
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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of QoS 2 (MQTT 5.0, 4.3.3): the message is stored with its packet id and its delivery token before
 * it is distributed, so that a repeat of the PUBLISH goes on where the first stopped. When no repeat comes, after a
 * restart or the end of the connection, the leader distributes it itself ({@link #resume}), under the same token. Owned
 * by the range leader.
 *
 * <p>Order: a message must not reach anybody before an earlier one of the session that is still to be distributed.
 * While the leader distributes what a connection has left, a new message is stored but its answer waits ({@link
 * InboundFlows#holdBack}); one that could not be stored is followed by none ({@link #writeReceived}, {@link
 * Attachment#refuseReceives}), since its client will send it again; and messages under way together share a {@link
 * RequestOrder}.
 *
 * <p>Token numbers are sequences of the inbox, so they are never used twice either.
 */
final class InboundHandler {
    /** How long the connection that a message came by may still be busy with it after its end. */
    static final long GRACE_MILLIS = 1000;

    private static final long FIRST_RETRY_MILLIS = 1000;
    private static final long LAST_RETRY_MILLIS = 30_000;

    private final LeaderContext context;
    private final Writes writes;
    private final InboxStates states;
    private final FinishedTokens finished;
    private final Surroundings.Publish publish;
    private final Resend untilOver;
    private final Backoff backoff;

    /** @param untilOver abandoned when the leader is none any more */
    InboundHandler(
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

    void receive(InboxState state, int packetId, Message message, Answer answer) {
        Session session = state.session();
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
                    attachment.refuseReceives(full); // its connection will be closed: the client can not be told
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

    /** Behind those that the leader distributes, unless it is distributed itself. */
    private void answerInOrder(
            InboxState state, Session session, InboundFlows.Flow flow, @Nullable Message repeated, Answer answer) {
        InboundFlows flows = state.queue.inbound();
        if (flows.isHoldingBack() && !flow.isDistributed()) {
            flows.awaitTurn(answerLater(state, session, flow, repeated, answer));
        } else {
            answerOnceStored(state, session, flow, repeated, answer);
        }
    }

    private Pending.Waiter answerLater(
            InboxState state, Session session, InboundFlows.Flow flow, @Nullable Message repeated, Answer answer) {
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

    /** @param repeated what is on record under the packet id; null when it has just been received */
    private void answerOnceStored(
            InboxState state, Session session, InboundFlows.Flow flow, @Nullable Message repeated, Answer answer) {
        InboxReply inbound = new InboxReply.Received(stateOf(state, session, flow, repeated));
        Pending pending = flow.pending();
        if (pending != null && !pending.isDone()) {
            pending.whenDone(new Answering(states, state, answer, inbound));
        } else {
            answer.reply(inbound);
        }
    }

    /**
     * Marks a message as distributed. The caller's connection may be gone, and its session with it; the mark is for
     * exactly the message that was given {@code number}.
     *
     * @return false, and nothing is answered, when that is not here: released meanwhile, or never received
     */
    boolean distributed(InboxState state, int packetId, long number, Answer answer) {
        InboundFlows flows = state.queue.knownInbound();
        InboundFlows.Flow flow = flows == null ? null : flows.get(packetId);
        if (flow == null || flow.number != number) {
            return false;
        }
        Message message = flow.message();
        markDistributed(state, flow);
        Session session = state.session();
        if (session != null) {
            finished.tell(state, message, InboxState.origin(state.id, session.incarnation), flow.number);
        }
        writes.openBatch().whenDone(new Answering(states, state, answer, InboxReply.DONE));
        return true;
    }

    /** The same, by the number alone. */
    boolean distributed(InboxState state, long number, Answer answer) {
        InboundFlows flows = state.queue.knownInbound();
        InboundFlows.Flow flow = flows == null ? null : flows.unfinished(number);
        return flow != null && distributed(state, flow.packetId, number, answer);
    }

    void release(InboxState state, int packetId, Answer answer) {
        InboundFlows flows = state.queue.inbound();
        InboundFlows.Flow flow = flows.remove(packetId);
        if (flow != null) {
            Batch batch = writes.openBatch();
            batch.delete(state, InboxKeys.inboundSuffix(packetId));
            batch.whenDone(new Answering(states, state, answer, InboxReply.Flag.of(true)));
            flows.releasedBy(batch);
            return;
        }
        // a repeated PUBREL: with PUBCOMP the client may use the packet id again, so it waits for the first one's
        // commit too
        Pending before = flows.lastRelease();
        if (before != null && !before.isDone()) {
            before.whenDone(new Answering(states, state, answer, InboxReply.Flag.of(false)));
        } else {
            answer.reply(InboxReply.Flag.of(false));
        }
    }

    /**
     * Looks after a while whether the connection that has just been detached has left something undistributed. Its
     * client may never come back.
     */
    void resumeLater(InboxState state) {
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
                        // not readable: logged there; who loads it next resumes
                    }
                }));
    }

    private void resumeUnlessAttached(InboxState state) {
        if (!state.isHeld()) {
            resume(state);
        }
    }

    /**
     * Distributes, one after the other, what is stored and not distributed, under its tokens: the connection it came by
     * is gone.
     */
    void resume(InboxState state) {
        InboundFlows flows = state.queue.knownInbound();
        if (flows == null || state.residency.isDiscarded()) {
            return;
        }
        List<InboundFlows.Flow> open = flows.undistributed();
        if (open.isEmpty() || open.get(0).isResuming()) {
            return;
        }
        // what is not stored yet may never be: its client would publish it again under another token
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
        flows.holdBack();
        state.residency.workBegins();
        new Resumption(state, flows, open).goOn();
    }

    private void markDistributed(InboxState state, InboundFlows.Flow flow) {
        if (!flow.isDistributed()) {
            flow.distributed();
            write(state, flow);
        }
    }

    /**
     * Not when an earlier change of the session could not be written meanwhile, perhaps an earlier message: then this
     * one's client is told that it is not stored, and sends both again. On record it would be distributed before the
     * earlier one comes.
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
            InboxState state, Session session, InboundFlows.Flow flow, @Nullable Message repeated) {
        InboundFlows flows = state.queue.inbound();
        return new Inbound(
                flow.isDistributed(),
                flow.isDistributed() ? null : repeated,
                InboxState.origin(state.id, session.incarnation),
                flow.number,
                flows.finishedBelow(flow.number));
    }

    /**
     * One walk over what was found undistributed. Messages leave in the order they came in, many at a time; one with
     * RETAIN goes alone, since its way leads through another store. When some could not be distributed, those are tried
     * again before anything else leaves, less and less often.
     */
    private final class Resumption {
        private static final int MAX_UNDER_WAY = 64;

        private final InboxState state;
        private final InboundFlows flows;
        private final List<InboundFlows.Flow> open;
        private int next;
        /** Of those under way since the last attempt to do all of them. */
        private RequestOrder order = new RequestOrder();

        private int underWay;
        private boolean isAlone;
        private boolean hasFailed;
        /** Attempts in a row of which none went well. */
        private int failures;

        Resumption(InboxState state, InboundFlows flows, List<InboundFlows.Flow> open) {
            this.state = state;
            this.flows = flows;
            this.open = open;
        }

        void goOn() {
            Session session =
                    state.queue.knownInbound() == flows && !state.residency.isDiscarded() ? state.session() : null;
            while (session != null && next < open.size()) {
                InboundFlows.Flow flow = open.get(next);
                Message message = flow.message();
                if (message == null || flows.get(flow.packetId) != flow) {
                    next++; // marked by the connection that began, or released
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
                    resumeUnlessAttached(state); // a connection may have come, left something, and gone
                }
            }
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
                    Message message = flow.message();
                    writes.closeFullBatch();
                    markDistributed(state, flow);
                    finished.tell(state, message, origin, flow.number);
                    writes.openBatch().whenDone(new DiscardOnFailure(states, state));
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
            next = 0; // those that went well are passed over
            goOn();
        }
    }
}
