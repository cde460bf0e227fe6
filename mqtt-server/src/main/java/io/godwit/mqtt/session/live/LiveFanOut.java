package io.godwit.mqtt.session.live;

import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Match;
import io.godwit.mqtt.transport.connection.SharedPublish;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.loop.LoopFlush;
import io.godwit.mqtt.transport.loop.LoopTask;
import io.godwit.plugin.message.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Delivers to live sessions, grouped by event loop. Sessions of the publisher's own loop are served at once. Messages
 * for another loop are appended to one hand-over per pair of loops, which is posted once the publisher's loop has
 * handled all its reads: one queue operation and at most one wake-up for a whole batch, whatever the number of messages
 * and receivers.
 *
 * <p>A hand-over counts as delivered once appended, unless the target loop is behind by more than {@link #MAX_BACKLOG}
 * copies. Then a delivery completes only when the target has worked it off, and until then the publisher is held: none
 * of its packets is handled, not even those already read ({@link LoopContext#holdPublisher}). So a loop is behind by at
 * most that many copies and one message of each publisher, and no message waits longer than these take. Messages also
 * wait, for a bounded time, for a session whose queue is more than half full ({@link PublisherHold}); a session of
 * another loop takes part from its next message on. Messages from other threads, such as those of other nodes, wait for
 * loops that are behind in the same way.
 */
public final class LiveFanOut implements Deliverer {
    /** Copies handed over to one loop and not yet worked off; above this, publishers are held. */
    static final int MAX_BACKLOG = 5_000;

    /** How long a loop works off hand-overs before it checks its channels. */
    static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final int ITEMS_PER_LOOK = 64;

    /** Open hand-overs by source and target loop; each row is confined to the source loop. */
    private final @Nullable HandOver[][] open;

    /**
     * Copies not yet worked off, per target loop. Atomic: source loops add, the target loop subtracts, once per
     * hand-over each.
     */
    private final AtomicInteger[] backlogs;

    /** Hand-overs that each loop has begun to work off, oldest first, so that none overtakes; confined to that loop. */
    private final List<Deque<HandOver>> unfinished = new ArrayList<>();

    private final LongSupplier wallMillis;
    private final LongSupplier nanoTime;

    /**
     * @param loops the number of event loops
     * @param wallMillis the wall clock, milliseconds since the epoch
     */
    public LiveFanOut(int loops, LongSupplier wallMillis) {
        this(loops, wallMillis, System::nanoTime);
    }

    /** @param nanoTime the monotonic clock */
    LiveFanOut(int loops, LongSupplier wallMillis, LongSupplier nanoTime) {
        this.wallMillis = wallMillis;
        this.nanoTime = nanoTime;
        open = new @Nullable HandOver[loops][loops];
        backlogs = new AtomicInteger[loops];
        for (int i = 0; i < loops; i++) {
            backlogs[i] = new AtomicInteger();
            unfinished.add(new ArrayDeque<>(1));
        }
    }

    @Override
    public CompletableFuture<DistOutcome> deliver(Delivery delivery) {
        LoopContext source = LoopContext.current();
        List<Match> matches = delivery.matches();
        if (source == null) {
            return deliverFromOutside(delivery);
        }
        Message message = delivery.message();
        int count = matches.size();
        SharedPublish shared = null;
        List<CompletableFuture<DistOutcome>> awaited = List.of();
        for (int i = 0; i < count; i++) {
            Match match = matches.get(i);
            TransientSession session = (TransientSession) match.receiver();
            LoopContext target = session.loop();
            if (target == source) {
                if (shared == null && count > 1) {
                    shared = new SharedPublish(message, wallMillis.getAsLong());
                }
                session.deliver(delivery, match, shared);
            } else {
                HandOver handOver = openTo(source, target);
                boolean isFirst = handOver.add(delivery, match);
                if (isFirst && backlogs[target.index()].get() + handOver.copies > MAX_BACKLOG) {
                    awaited = awaited.isEmpty() ? new ArrayList<>() : awaited;
                    awaited.add(handOver.done());
                    source.holdPublisher();
                }
            }
            CompletableFuture<DistOutcome> hold = session.hold(message, match);
            if (hold != null) {
                awaited = awaited.isEmpty() ? new ArrayList<>() : awaited;
                awaited.add(hold);
            }
        }
        return untilAll(awaited);
    }

    private HandOver openTo(LoopContext source, LoopContext target) {
        @Nullable HandOver[] row = open[source.index()];
        HandOver handOver = row[target.index()];
        if (handOver == null) {
            handOver = new HandOver(target, row);
            row[target.index()] = handOver;
            source.flushLater(handOver);
        }
        return handOver;
    }

    /**
     * Delivers a message of another node, a will, or a publish of the node itself, on a thread outside the loops:
     * flushes at once. Complete once no loop is behind, so that the caller waits before it delivers more.
     */
    private CompletableFuture<DistOutcome> deliverFromOutside(Delivery delivery) {
        @Nullable HandOver[] row = new @Nullable HandOver[backlogs.length];
        for (Match match : delivery.matches()) {
            LoopContext target = ((TransientSession) match.receiver()).loop();
            HandOver handOver = row[target.index()];
            if (handOver == null) {
                handOver = new HandOver(target, row);
                row[target.index()] = handOver;
            }
            handOver.add(delivery, match);
        }
        List<CompletableFuture<DistOutcome>> awaited = List.of();
        for (HandOver handOver : row.clone()) {
            if (handOver == null) {
                continue;
            }
            if (backlogs[handOver.target.index()].get() + handOver.copies > MAX_BACKLOG) {
                awaited = awaited.isEmpty() ? new ArrayList<>() : awaited;
                awaited.add(handOver.done());
            }
            handOver.flush();
        }
        return untilAll(awaited);
    }

    private static CompletableFuture<DistOutcome> untilAll(List<CompletableFuture<DistOutcome>> awaited) {
        return awaited.isEmpty()
                ? DELIVERED
                : CompletableFuture.allOf(awaited.toArray(new CompletableFuture<?>[0]))
                        .thenApply(all -> DistOutcome.DELIVERED);
    }

    /** Deliveries for one loop: filled by the source, posted, then worked off by the target. */
    private final class HandOver extends LoopTask implements LoopFlush {
        private final LoopContext target;
        private final @Nullable HandOver[] row;

        /** A Delivery, its Matches for the target, the next Delivery, and so on. */
        private final List<Object> items = new ArrayList<>();

        private @Nullable Delivery last;
        private int copies;

        // progress of the target
        private int position;
        private @Nullable Delivery current;
        private @Nullable SharedPublish shared;

        private @Nullable CompletableFuture<DistOutcome> done;

        private HandOver(LoopContext target, @Nullable HandOver[] row) {
            this.target = target;
            this.row = row;
        }

        /** Whether this is the first copy of the delivery here. */
        @SuppressWarnings("ReferenceEquality") // by identity: two equal deliveries are different
        private boolean add(Delivery delivery, Match match) {
            boolean isFirst = last != delivery;
            if (isFirst) {
                items.add(delivery);
                last = delivery;
            }
            items.add(match);
            copies++;
            return isFirst;
        }

        private CompletableFuture<DistOutcome> done() {
            if (done == null) {
                done = new CompletableFuture<>();
            }
            return done;
        }

        @Override
        public void flush() {
            row[target.index()] = null;
            last = null;
            backlogs[target.index()].addAndGet(copies);
            target.post(this);
        }

        @Override
        protected void run() {
            Deque<HandOver> waiting = unfinished.get(target.index());
            waiting.addLast(this);
            if (waiting.size() == 1) {
                takeTurn(waiting);
            }
        }

        private void takeTurn(Deque<HandOver> waiting) {
            long begin = nanoTime.getAsLong();
            try {
                for (HandOver next = waiting.peekFirst(); next != null; next = waiting.peekFirst()) {
                    if (!next.workOff(begin)) {
                        return;
                    }
                    waiting.removeFirst();
                }
            } finally { // a fault loses one copy, not all after it
                if (!waiting.isEmpty()) {
                    target.afterChannels(() -> takeTurn(waiting));
                }
            }
        }

        /**
         * Works off items; returns false when the turn that began at {@code begin} is over before all are delivered.
         */
        private boolean workOff(long begin) {
            while (position < items.size()) {
                Object item = items.get(position++);
                if (item instanceof Match match && current != null) {
                    ((TransientSession) match.receiver()).deliver(current, match, shared);
                } else if (item instanceof Delivery delivery) {
                    current = delivery;
                    boolean isForSeveral = position + 1 < items.size() && items.get(position + 1) instanceof Match;
                    shared = isForSeveral ? new SharedPublish(delivery.message(), wallMillis.getAsLong()) : null;
                }
                if (position % ITEMS_PER_LOOK == 0
                        && position < items.size()
                        && nanoTime.getAsLong() - begin > TURN_NANOS) {
                    return false;
                }
            }
            backlogs[target.index()].addAndGet(-copies);
            if (done != null) {
                done.complete(DistOutcome.DELIVERED);
            }
            return true;
        }
    }
}
