package io.godwit.broker.watch;

import io.godwit.api.port.WatchFeed;
import org.jspecify.annotations.Nullable;

/** What one node has to tell. {@link #next} is called by the thread that takes, the rest by the thread of watches. */
interface NodeSource {
    WatchFeed.@Nullable Item next();

    void close();
}
