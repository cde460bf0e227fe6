package io.godwit.api.stream;

import io.godwit.api.port.WatchFeed;
import java.time.Duration;

/**
 * An answer that goes on.
 *
 * @param source asked once it is sure that the answer can begin
 * @param longest until it ends
 */
public record StreamReply(Source source, Duration longest) {
    public static final String CONTENT_TYPE = "text/event-stream";

    /** Begins to watch. On the event loop; returns at once. */
    @FunctionalInterface
    public interface Source {
        /** May throw as a handler may. */
        WatchFeed open();
    }

    /** Compares what is sent with the document. */
    @FunctionalInterface
    public interface ItemCheck {
        boolean isAsDocumented(WatchFeed.Item item);
    }
}
