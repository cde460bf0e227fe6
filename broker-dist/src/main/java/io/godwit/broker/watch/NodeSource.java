package io.godwit.broker.watch;

import io.godwit.api.port.watch.WatchFeed;
import org.jspecify.annotations.Nullable;

/** The entries of one node. The reader of the feed calls {@link #next}, the thread of watches all else. */
interface NodeSource {
    WatchFeed.@Nullable Item next();

    void close();
}
