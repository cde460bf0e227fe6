package io.godwit.dist;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.peer.link.PeerTimers;
import io.godwit.dist.route.RouteKeys;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.topic.TopicFilter;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats the removal of routes that have come back. An earlier attachment of the session may have sent a write of the
 * route through a node that was then cut off, and nobody knows when or whether that write arrives. A removed route
 * leaves no number by which the range could refuse the write.
 *
 * <p>In order: {@link #removed}, once nothing is matched by the route any more. While the removal is watched,
 * {@link #look} checks this node's matcher, which follows every write. If the route is there, the removal is sent again
 * with its own number. So it never removes a route that was subscribed to later: that one has a larger number, and the
 * range refuses the removal ({@link #adding} only saves the attempt).
 *
 * <p>Bounds: a removal is watched for a limited time, and repeated {@link #MOST_TIMES} times at most. {@link #MOST} and
 * {@link #MOST_BYTES} limit the watched removals; those checked the longest time ago are dropped for newer ones. One
 * look checks {@link #LOOKED_AT} of them, and {@link #UNDER_WAY} may be repeated at a time. A route that comes back
 * unwatched stays until the next message to the session finds it.
 *
 * <p>Thread-safe. Subscribers of all threads and the timer contend for the lock; nothing is called with it held.
 */
final class RemovalsAgain implements AutoCloseable {
    static final Duration LOOK = Duration.ofMillis(500);
    /** Most removals watched at a time. */
    static final int MOST = 10_000;
    /** Limit on their approximate heap size: a key is up to 128 KiB. */
    static final long MOST_BYTES = 16 << 20;

    static final int LOOKED_AT = 1_000;
    static final int MOST_TIMES = 8;
    static final int UNDER_WAY = 64;

    /**
     * How long a write may be in transit after its node has stopped waiting for it: until the connection that carries
     * it has ended, at most ten seconds after it has fallen silent, and a margin.
     */
    static final Duration ON_ITS_WAY = Duration.ofSeconds(40);

    private static final Logger LOG = LoggerFactory.getLogger(RemovalsAgain.class);
    private static final int OVERHEAD_BYTES = 256;

    /** Sends a removal to the range of the route. */
    @FunctionalInterface
    interface Removing {
        /** Fails with {@link RangeException}, with cause CLOSED when the stored route has a larger number. */
        CompletableFuture<Void> remove(TopicFilter filter, InboxReceiver receiver, RouteNumber number);
    }

    private static final class Watched {
        private final TopicFilter filter;
        private final InboxReceiver receiver;
        private final RouteNumber number;
        private final long endNanos;
        private final int bytes;
        private int times;
        private boolean isUnderWay;

        Watched(TopicFilter filter, InboxReceiver receiver, RouteNumber number, long endNanos, int bytes) {
            this.filter = filter;
            this.receiver = receiver;
            this.number = number;
            this.endNanos = endNanos;
            this.bytes = bytes;
        }
    }

    private final PeerTimers timers;
    private final LongSupplier nanoTime;
    private final Duration time;
    private final BiPredicate<TopicFilter, InboxReceiver> matcher;
    private final Removing removing;
    private final LongAdder saidAgain = new LongAdder();

    /** By the key of the route; the most recently checked are last. Guarded by this, with its values. */
    private final Map<Key, Watched> watched = new LinkedHashMap<>();

    private long bytes;
    private int underWay;
    private boolean isLooking;
    private boolean isClosed;

    /**
     * @param nanoTime the monotonic clock
     * @param time how long a removal is watched
     * @param matcher whether this node's matcher has the route; any thread
     */
    RemovalsAgain(
            PeerTimers timers,
            LongSupplier nanoTime,
            Duration time,
            BiPredicate<TopicFilter, InboxReceiver> matcher,
            Removing removing) {
        this.timers = timers;
        this.nanoTime = nanoTime;
        this.time = time;
        this.matcher = matcher;
        this.removing = removing;
    }

    /**
     * Routes were removed by a numbered change, and no node's matcher has them. A removal without a number is not
     * watched: its session has ended, or its node is alone.
     */
    void removed(Collection<TopicFilter> filters, InboxReceiver receiver, RouteNumber number) {
        if (number.isNone()) {
            return;
        }
        long endNanos = nanoTime.getAsLong() + time.toNanos();
        for (TopicFilter filter : filters) {
            byte[] key = RouteKeys.key(filter, receiver);
            // the key, and about as much again for the texts of the filter and the client id
            put(Key.of(key), new Watched(filter, receiver, number, endNanos, OVERHEAD_BYTES + 2 * key.length));
        }
    }

    private void put(Key key, Watched removal) {
        boolean mustLook;
        synchronized (this) {
            if (isClosed) {
                return;
            }
            forget(key);
            watched.put(key, removal);
            bytes += removal.bytes;
            while (watched.size() > MOST || bytes > MOST_BYTES) {
                forget(watched.keySet().iterator().next());
            }
            mustLook = !isLooking && !watched.isEmpty();
            isLooking |= mustLook;
        }
        if (mustLook) {
            timers.after(LOOK, this::look);
        }
    }

    /** Call it with the lock held. */
    private void forget(Key key) {
        Watched known = watched.remove(key);
        if (known != null) {
            bytes -= known.bytes;
        }
    }

    /**
     * Routes are about to be written here, or a session that has them was found to have them in the matcher: they may
     * stay.
     */
    void adding(Collection<TopicFilter> filters, InboxReceiver receiver) {
        if (isEmpty()) {
            return;
        }
        for (TopicFilter filter : filters) {
            Key key = Key.of(RouteKeys.key(filter, receiver));
            synchronized (this) {
                forget(key);
            }
        }
    }

    private synchronized boolean isEmpty() {
        return watched.isEmpty();
    }

    private void look() {
        try {
            next().forEach((key, removal) -> {
                if (matcher.test(removal.filter, removal.receiver) && begin(key, removal)) {
                    sayAgain(key, removal);
                }
            });
        } finally {
            if (isToLookAgain()) {
                timers.after(LOOK, this::look);
            }
        }
    }

    private synchronized boolean isToLookAgain() {
        isLooking = !watched.isEmpty();
        return isLooking;
    }

    /** Takes the removals that were checked the longest time ago, and moves them to the end. */
    private synchronized Map<Key, Watched> next() {
        long now = nanoTime.getAsLong();
        Map<Key, Watched> next = new LinkedHashMap<>();
        Iterator<Map.Entry<Key, Watched>> each = watched.entrySet().iterator();
        for (int i = 0; i < LOOKED_AT && each.hasNext(); i++) {
            Map.Entry<Key, Watched> first = each.next();
            each.remove();
            if (first.getValue().endNanos - now <= 0) {
                bytes -= first.getValue().bytes;
            } else {
                next.put(first.getKey(), first.getValue());
            }
        }
        watched.putAll(next);
        return next;
    }

    private synchronized boolean begin(Key key, Watched removal) {
        if (isClosed || removal.isUnderWay || underWay == UNDER_WAY || !removal.equals(watched.get(key))) {
            return false;
        }
        removal.isUnderWay = true;
        removal.times++;
        underWay++;
        return true;
    }

    private void sayAgain(Key key, Watched removal) {
        LOG.debug("a route came back after its removal receiver={} number={}", removal.receiver, removal.number);
        removing.remove(removal.filter, removal.receiver, removal.number)
                .whenComplete((done, failure) -> saidAgain(key, removal, failure));
    }

    private void saidAgain(Key key, Watched removal, @Nullable Throwable failure) {
        if (failure == null) {
            saidAgain.increment();
        }
        boolean isLater = failure instanceof RangeException cause && cause.reason() == RangeException.Cause.CLOSED;
        synchronized (this) {
            removal.isUnderWay = false;
            underWay--;
            if ((isLater || removal.times == MOST_TIMES) && removal.equals(watched.get(key))) {
                forget(key);
            }
        }
    }

    /** Removals that removed a route that had come back. */
    LongAdder counter() {
        return saidAgain;
    }

    /** Number of watched removals. */
    synchronized int size() {
        return watched.size();
    }

    /** Stops watching. */
    @Override
    public synchronized void close() {
        isClosed = true;
        watched.clear();
        bytes = 0;
    }
}
