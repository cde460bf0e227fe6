package io.godwit.api.port;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is seen on the nodes that are watched, in a queue of bounded count and bytes: what does not fit is counted, and
 * the queue tells of it. Taken by one thread at a time.
 */
public interface WatchFeed extends AutoCloseable {
    /**
     * One thing to tell.
     *
     * @param name its kind: what was watched, {@code lost} or {@code node}
     * @param data texts, whole numbers and truth values by name
     */
    record Item(String name, Map<String, Object> data) {
        public static final String LOST = "lost";
        public static final String NODE = "node";

        public Item {
            data = Collections.unmodifiableMap(new LinkedHashMap<>(data)); // in the order in which people read it
        }

        /** A node dropped so many, since they came too fast or nobody took them. */
        public static Item lost(String node, long count) {
            return new Item(LOST, Map.of("node", node, "count", count));
        }

        /** From now on what is seen on that node is told of, or not. */
        public static Item node(String node, boolean isWatched) {
            return new Item(NODE, Map.of("node", node, "watched", isWatched));
        }
    }

    /** The next one; null when there is none now. */
    @Nullable
    Item next();

    /**
     * From now on {@code task} is run, on any thread, when there may be something to take again after {@link #next}
     * had nothing. What was lost does not count: who takes should look for that now and then. Set once.
     */
    void onReady(Runnable task);

    /** Whether the node has ended it, since it stops. */
    boolean isOver();

    /** Ends the watch on all nodes. Further calls do nothing. */
    @Override
    void close();
}
