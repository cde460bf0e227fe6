package io.godwit.api.stream;

import java.time.Duration;

/**
 * Bounds of event streams.
 *
 * @param most at a time on this node
 * @param mostPerCaller of these, of one token or certificate, or of all those of one tenant
 * @param heartbeat after this time without an event a comment is sent, so that both sides see that the other is there
 * @param slowAfter how long a client may read nothing before its connection is closed
 */
public record StreamBounds(int most, int mostPerCaller, Duration heartbeat, Duration slowAfter) {
    public static final StreamBounds DEFAULTS = new StreamBounds(32, 8, Duration.ofSeconds(15), Duration.ofSeconds(20));

    public StreamBounds {
        if (most < 1 || mostPerCaller < 1) {
            throw new IllegalArgumentException("each bound must be at least 1");
        }
    }
}
