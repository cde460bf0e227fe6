package io.godwit.broker.watch;

import io.godwit.api.port.watch.WatchFeed;
import io.godwit.broker.watch.question.WatchEntry;
import io.godwit.broker.watch.tap.WatchQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The entries of this node. */
final class OwnSource implements NodeSource {
    /** Losses are reported together; otherwise there could be a report per loss. */
    private static final long LOSS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final OwnWatches own;
    private final WatchQueue queue;
    private final String node;
    private final String told;
    private final LongSupplier nanoClock;
    private long lossToldNanos;

    OwnSource(OwnWatches own, WatchQueue queue, String node, String told, LongSupplier nanoClock, Runnable ready) {
        this.own = own;
        this.queue = queue;
        this.node = node;
        this.told = told;
        this.nanoClock = nanoClock;
        this.lossToldNanos = nanoClock.getAsLong() - LOSS_NANOS;
        queue.onReady(ready);
    }

    @Override
    public WatchFeed.@Nullable Item next() {
        WatchEntry entry = queue.poll();
        if (entry != null) {
            return new WatchFeed.Item(told, entry.told(node));
        }
        long now = nanoClock.getAsLong();
        if (now - lossToldNanos < LOSS_NANOS) {
            return null;
        }
        long lost = queue.takeLost();
        if (lost == 0) {
            return null;
        }
        lossToldNanos = now;
        return WatchFeed.Item.lost(node, lost);
    }

    @Override
    public void close() {
        own.close(queue);
    }
}
