package io.godwit.api.stream;

import io.godwit.api.port.watch.WatchFeed;
import java.time.Duration;

/**
 * An answer of server-sent events.
 *
 * @param source opened once it is sure that the answer can begin
 * @param longest until it ends
 */
public record StreamReply(Source source, Duration longest) {
    public static final String CONTENT_TYPE = "text/event-stream";

    /** Begins to watch. On the event loop; returns at once. */
    @FunctionalInterface
    public interface Source {
        /** May throw the same exceptions as a handler. */
        WatchFeed open();
    }

    /** Compares sent items with the document. */
    @FunctionalInterface
    public interface ItemCheck {
        boolean isAsDocumented(WatchFeed.Item item);
    }
}
