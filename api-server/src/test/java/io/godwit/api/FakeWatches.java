package io.godwit.api;

import io.godwit.api.port.NotServingException;
import io.godwit.api.port.watch.WatchFeed;
import io.godwit.api.port.watch.WatchSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Watches in memory. Thread-safe. */
final class FakeWatches implements WatchSource {
    final List<EventFilter> asked = new CopyOnWriteArrayList<>();
    final List<TraceFilter> traced = new CopyOnWriteArrayList<>();
    final List<Feed> feeds = new CopyOnWriteArrayList<>();
    /** For feeds opened from now on: the item that they always have; null for none. */
    volatile WatchFeed.@Nullable Item endless;

    volatile boolean isFull;

    /** One that a test fills. */
    static final class Feed implements WatchFeed {
        private final Queue<Item> items = new ConcurrentLinkedQueue<>();
        private final @Nullable Item endless;
        private volatile Runnable ready = () -> {};
        volatile boolean isClosed;
        volatile boolean isOver;
        final AtomicLong taken = new AtomicLong();

        Feed(@Nullable Item endless) {
            this.endless = endless;
        }

        void tell(Item item) {
            items.add(item);
            ready.run();
        }

        @Override
        public @Nullable Item next() {
            Item item = items.poll();
            if (item == null) {
                item = endless;
            }
            if (item != null) {
                taken.incrementAndGet();
            }
            return item;
        }

        @Override
        public void onReady(Runnable task) {
            ready = task;
            task.run();
        }

        @Override
        public boolean isOver() {
            return isOver;
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    /** The last that was opened. */
    Feed last() {
        return feeds.get(feeds.size() - 1);
    }

    @Override
    public Optional<WatchFeed> events(EventFilter filter, Duration longest) {
        asked.add(filter);
        if (isFull) {
            throw new NotServingException("as much is watched as may be");
        }
        if (filter.node().isPresent() && !filter.node().get().equals(FakeNode.ID)) {
            return Optional.empty();
        }
        return Optional.of(open());
    }

    @Override
    public WatchFeed trace(TraceFilter filter, Duration longest) {
        traced.add(filter);
        return open();
    }

    private Feed open() {
        Feed feed = new Feed(endless);
        feeds.add(feed);
        return feed;
    }
}
