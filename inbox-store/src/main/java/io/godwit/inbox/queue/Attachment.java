package io.godwit.inbox.queue;

import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection's hold on its session, in one term of one leader: so it carries what makes an acknowledgement stale. The public methods post
 * to the leader; all else is the leader's.
 */
final class Attachment implements InboxAttachment {
    private record Early(PlacedCopy copy, Insert insert, Batch batch) {}

    private final InboxLeader leader;
    private final InboxState state;
    private final Ledger ledger;
    private final InboxListener listener;
    final Outbox outbox;
    private boolean closed;

    /** Of each open replay, the oldest first, the topics of live inserts since its begin; null while there is none. */
    private @Nullable ArrayDeque<Set<String>> replays;

    /** Sent before they were stored, in order; those whose batch has been sealed leave when they come to the front. */
    private final ArrayDeque<Early> early = new ArrayDeque<>(2);

    Attachment(InboxLeader leader, InboxState state, InboxListener listener) {
        this.leader = leader;
        this.state = state;
        this.ledger = state.ledger;
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
            leader.markDirty(state);
            leader.openBatch().whenDone(new Batch.Waiter() {
                @Override
                public void applied() {
                    answer.complete(null);
                }

                @Override
                public void failed(RangeException cause) {
                    long there = ledger.find(sequence);
                    if (there >= 0) {
                        ledger.setReceived(there, false); // no PUBREL may follow
                    }
                    answer.completeExceptionally(cause);
                }
            });
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
    public void beginReplay() {
        tell(() -> {
            if (replays == null) {
                replays = new ArrayDeque<>(1);
            }
            replays.addLast(new HashSet<>());
        });
    }

    @Override
    public void endReplay() {
        tell(() -> {
            if (replays != null) {
                replays.pollFirst();
                replays = replays.isEmpty() ? null : replays;
            }
        });
    }

    @Override
    public CompletableFuture<Inbound> receive(int packetId, Message message) {
        return ask(answer -> leader.inbound().receive(state, packetId, message, answer));
    }

    @Override
    public CompletableFuture<Void> distributed(int packetId) {
        return ask(answer -> leader.inbound().distributed(state, packetId, answer));
    }

    @Override
    public CompletableFuture<Boolean> release(int packetId) {
        return ask(answer -> leader.inbound().release(state, packetId, answer));
    }

    @Override
    public CompletableFuture<Void> detach(long expirySeconds, boolean publishWill) {
        return ask(answer -> leader.lifecycle().detach(state, expirySeconds, publishWill, answer));
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
        CompletableFuture<T> answer = new CompletableFuture<>();
        leader.mailbox().post(new Mailbox.Call() {
            @Override
            public void run() {
                if (closed) {
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

    /** A newer message of the topic went to this session while retained ones are on their way. */
    void liveInsert(String topic) {
        if (replays != null) {
            replays.forEach(topics -> topics.add(topic));
        }
    }

    /** Whether that was since the replay that runs now was begun. */
    boolean hasSeenLive(String topic) {
        return replays != null && replays.getFirst().contains(topic);
    }

    /** Ends it; nothing that the connection sends has an effect any more. Gives back the QoS 0 messages that were not sent. */
    List<QueuedCopy> close() {
        closed = true;
        outbox.flush();
        return outbox.close();
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
