package io.godwit.inbox.queue;

import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.ReplayOutcome;
import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection's hold on its session, in one term of one leader: so it carries what makes an acknowledgement stale.
 * The public methods post to the leader; all else is the leader's.
 */
final class Attachment implements InboxAttachment {
    private record Early(PlacedCopy copy, Insert insert, Batch batch) {}

    private record WaitingStep(ReplayStep step, CompletableFuture<ReplayOutcome> answer) {}

    private final InboxLeader leader;
    private final InboxState state;
    private final Ledger ledger;
    private final long incarnation;
    private final InboxListener listener;
    final Outbox outbox;
    private boolean closed;
    /** Why no message of QoS 2 is taken any more; null when they are. */
    private @Nullable RangeException receivesRefused;

    /** Steps of replays that wait until the batch with those before them is done. */
    private final ArrayDeque<WaitingStep> waitingSteps = new ArrayDeque<>(0);

    /** Sent before they were stored, in order; those whose batch has been sealed leave when they come to the front. */
    private final ArrayDeque<Early> early = new ArrayDeque<>(2);

    Attachment(InboxLeader leader, InboxState state, Session session, InboxListener listener) {
        this.leader = leader;
        this.state = state;
        this.ledger = state.ledger;
        this.incarnation = session.incarnation;
        this.listener = listener;
        this.outbox = new Outbox(leader, state, listener);
    }

    // --- called by the connection

    @Override
    public void request(int messages) {
        tell(() -> outbox.request(messages));
    }

    @Override
    public void acknowledge(long[] sequences) {
        tell(() -> {
            for (long sequence : sequences) {
                long ordinal = sentOrdinal(sequence);
                if (ordinal >= 0 && ledger.qosAt(ordinal) == Qos.AT_LEAST_ONCE.value()) {
                    finish(sequence, ordinal);
                }
            }
            outbox.pump(); // a packet id may have become free
        });
    }

    @Override
    public CompletableFuture<Void> received(long sequence) {
        return ask(answer -> {
            long ordinal = sentOrdinal(sequence);
            if (ordinal < 0 || ledger.qosAt(ordinal) != Qos.EXACTLY_ONCE.value()) {
                answer.complete(null);
                return;
            }
            ledger.setReceived(ordinal, true);
            // the very batch that is waited for brings the mark: one before it may bring it too, and fail
            Batch batch = leader.openBatch();
            batch.wantProgress(state);
            batch.whenDone(new Received(sequence, answer));
        });
    }

    @Override
    public void complete(long sequence) {
        tell(() -> {
            long ordinal = sentOrdinal(sequence);
            if (ordinal >= 0 && ledger.qosAt(ordinal) == Qos.EXACTLY_ONCE.value()) {
                finish(sequence, ordinal);
            }
            outbox.pump();
        });
    }

    @Override
    public CompletableFuture<List<Boolean>> subscribe(List<StoredSubscription> subscriptions) {
        List<StoredSubscription> added = List.copyOf(subscriptions);
        return ask(answer -> leader.lifecycle().subscribe(state, added, answer));
    }

    @Override
    public CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters) {
        List<TopicFilter> removed = List.copyOf(filters);
        return ask(answer -> leader.lifecycle().unsubscribe(state, removed, answer));
    }

    @Override
    public CompletableFuture<ReplayOutcome> replay(ReplayStep step) {
        return ask(answer -> {
            waitingSteps.add(new WaitingStep(step, answer));
            goOnReplaying();
        });
    }

    @Override
    public CompletableFuture<Void> replayed(TopicFilter filter, String to) {
        return ask(answer -> {
            leader.lifecycle().replayed(state, filter, to);
            answer.complete(null);
        });
    }

    @Override
    public CompletableFuture<Inbound> receive(int packetId, Message message) {
        return ask(answer -> {
            RangeException refused = receivesRefused;
            if (refused == null) {
                leader.inbound().receive(state, packetId, message, answer);
            } else {
                answer.completeExceptionally(refused);
            }
        });
    }

    /**
     * A message of QoS 2 was not stored and its client will send it again, on another connection: nothing is taken
     * before that.
     */
    void refuseReceives(RangeException cause) {
        receivesRefused = cause;
    }

    /**
     * Also from an attachment that is over, whose {@code state} may have been given up since: what was distributed was.
     */
    @Override
    public CompletableFuture<Void> distributed(int packetId, long tokenNumber) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        leader.mailbox().post(new Mailbox.Call() {
            @Override
            public void run() {
                leader.states().whenReady(state.id, state.prefix, new InboxState.Request() {
                    @Override
                    public void run(InboxState now) {
                        Session session = now.session;
                        if (session == null || session.incarnation != incarnation) {
                            answer.complete(null);
                        } else {
                            leader.inbound().distributed(now, packetId, tokenNumber, answer);
                        }
                    }

                    @Override
                    public void fail(RangeException cause) {
                        answer.completeExceptionally(cause);
                    }
                });
            }

            @Override
            public void fail(RangeException cause) {
                answer.completeExceptionally(cause);
            }
        });
        return answer;
    }

    @Override
    public CompletableFuture<Boolean> release(int packetId) {
        return ask(answer -> leader.inbound().release(state, packetId, answer));
    }

    @Override
    public CompletableFuture<Void> detach(long expirySeconds, boolean publishWill, long sentBelow) {
        return ask(
                answer -> {
                    outbox.unsentFrom(sentBelow);
                    leader.lifecycle().detach(state, expirySeconds, publishWill, answer);
                },
                () -> leader.lifecycle()
                        .detachedLate(state, new Disconnect(incarnation, expirySeconds, publishWill, false)));
    }

    private void tell(Runnable what) {
        leader.mailbox().post(new Mailbox.Call() {
            @Override
            public void run() {
                if (!closed) {
                    what.run();
                }
            }

            @Override
            public void fail(RangeException cause) {}
        });
    }

    private <T extends @Nullable Object> CompletableFuture<T> ask(Consumer<CompletableFuture<T>> what) {
        return ask(what, () -> {});
    }

    /** @param tooLate run instead when the attachment is over, before the answer says so */
    private <T extends @Nullable Object> CompletableFuture<T> ask(
            Consumer<CompletableFuture<T>> what, Runnable tooLate) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        leader.mailbox().post(new Mailbox.Call() {
            @Override
            public void run() {
                if (closed) {
                    tooLate.run();
                    fail(Mailbox.closed());
                } else {
                    what.accept(answer);
                }
            }

            @Override
            public void fail(RangeException cause) {
                answer.completeExceptionally(cause);
            }
        });
        return answer;
    }

    // --- called by the leader

    /** A message was sent before it is stored; see {@link InsertHandler}. */
    void sentEarly(PlacedCopy copy, Insert insert, Batch batch) {
        early.add(new Early(copy, insert, batch));
    }

    /** Takes the steps of replays that need not wait any more. */
    void goOnReplaying() {
        while (!waitingSteps.isEmpty() && !closed && !leader.isSettling() && !mustWaitReplaying()) {
            leader.closeFullBatch();
            WaitingStep next = waitingSteps.remove();
            leader.inserts().replay(state, next.step, next.answer);
        }
    }

    private boolean mustWaitReplaying() {
        Session session = state.session;
        return session != null && session.retained != null && session.retained.mustWait();
    }

    /**
     * The subscription is made again: steps that wait for the one before would begin its replay in the place of its
     * own.
     */
    void refuseReplays(TopicFilter filter) {
        waitingSteps.removeIf(waiting -> {
            boolean isRefused = waiting.step.filter().equals(filter);
            if (isRefused) {
                waiting.answer.complete(ReplayOutcome.BEHIND);
            }
            return isRefused;
        });
    }

    /** {@link #detach} is decided. */
    void detaching() {
        listener.detaching();
    }

    /**
     * Ends it; nothing that the connection sends has an effect any more. Gives back the QoS 0 messages that were not
     * sent.
     */
    List<QueuedCopy> close() {
        end(Mailbox.closed());
        return outbox.close();
    }

    private void end(RangeException cause) {
        closed = true;
        waitingSteps.forEach(waiting -> waiting.answer.completeExceptionally(cause));
        waitingSteps.clear();
        outbox.flush();
    }

    /** Its leader stops in good order: leaves what the next one needs to go on, then tells the connection. */
    void move(RangeException cause, MovedSessions to, long nowMillis) {
        end(cause);
        boolean hasCredit = outbox.credit() > 0;
        MovedSession moved = new MovedSession(incarnation, ledger.sentBelow(), hasCredit, outbox.takePlaces());
        moved.comeTo(null);
        moved.waitFrom(nowMillis);
        to.leave(state.id, moved);
        listener.detached(InboxListener.Reason.MOVED);
    }

    /** Ends it and tells the connection. */
    List<QueuedCopy> close(InboxListener.Reason reason) {
        List<QueuedCopy> left = close();
        listener.detached(reason);
        return left;
    }

    /** The ordinal of an unfinished message that this attachment has been sent, else -1. */
    private long sentOrdinal(long sequence) {
        long ordinal = ledger.find(sequence);
        return ordinal < ledger.cursor() ? ordinal : -1;
    }

    /** The PUBREC of a message is on record, or not. */
    private final class Received implements Batch.Waiter {
        private final long sequence;
        private final CompletableFuture<Void> answer;

        Received(long sequence, CompletableFuture<Void> answer) {
            this.sequence = sequence;
            this.answer = answer;
        }

        @Override
        public void applied() {
            if (state.discarded || state.ledger != ledger) {
                answer.completeExceptionally(Mailbox.closed()); // the batch left out what it spoke of
            } else {
                answer.complete(null);
            }
        }

        @Override
        public void failed(RangeException cause) {
            long ordinal = ledger.find(sequence);
            // an attachment that followed has told the store of the mark by itself, see Lifecycle.attach
            if (ordinal >= 0 && !closed) {
                ledger.setReceived(ordinal, false); // no PUBREL may follow
            }
            answer.completeExceptionally(cause);
        }
    }

    private void finish(long sequence, long ordinal) {
        leader.finish(state, ordinal);
        while (!early.isEmpty() && early.element().batch().isSealed()) {
            early.remove();
        }
        if (early.isEmpty()) {
            return;
        }
        for (var waiting = early.iterator(); waiting.hasNext(); ) {
            Early sent = waiting.next();
            if (sent.copy().sequence == sequence) {
                waiting.remove();
                if (!sent.batch().isSealed()) {
                    sent.insert().takeBack(sent.copy());
                    leader.copyTakenBack(sent.batch());
                }
                return;
            }
        }
    }
}
