package io.godwit.api.port.watch;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Observations from the watched nodes, in a queue of bounded count and bytes. Items beyond the bounds are counted, and
 * the queue reports the count. Taken by one thread at a time.
 */
public interface WatchFeed extends AutoCloseable {
    /**
     * One observation.
     *
     * @param name its kind: the watched kind, {@code lost} or {@code node}
     * @param data texts, whole numbers and truth values by name
     */
    record Item(String name, Map<String, Object> data) {
        public static final String LOST = "lost";
        public static final String NODE = "node";

        public Item {
            data = Collections.unmodifiableMap(new LinkedHashMap<>(data)); // keeps the order for readers
        }

        /** A node dropped this many items: they came too fast, or nobody took them. */
        public static Item lost(String node, long count) {
            return new Item(LOST, Map.of("node", node, "count", count));
        }

        /** From now on a node is watched, or no longer. */
        public static Item node(String node, boolean isWatched) {
            return new Item(NODE, Map.of("node", node, "watched", isWatched));
        }
    }

    /** The next item; null when there is none now. */
    @Nullable
    Item next();

    /**
     * Sets the task to run, on any thread, when {@link #next} returned null and there may be an item again. A loss
     * alone does not run it, so the taker should also poll now and then. Set once.
     */
    void onReady(Runnable task);

    /** Whether the node has ended the feed because it stops. */
    boolean isOver();

    /** Ends the watch on all nodes. Further calls do nothing. */
    @Override
    void close();
}
