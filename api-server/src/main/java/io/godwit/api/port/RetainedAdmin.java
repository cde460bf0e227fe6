package io.godwit.api.port;

import io.godwit.plugin.message.Message;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The retained messages of all nodes. Called on any thread; calls return at once and do not block. Futures complete on
 * any thread, which the callback must not hold up, and at the latest soon after {@code within}. They fail with {@link
 * NotServingException} when a range that is needed has no leader in time, or too many questions are under way; with
 * {@link IllegalArgumentException} for a limit, a topic or a filter that is none; and with {@link WrongCursorException}
 * for a cursor of no list or of another one.
 */
public interface RetainedAdmin {
    /** The most messages of a page. */
    int MAX_LIMIT = 1_000;

    /** A cursor that this list has not given. */
    final class WrongCursorException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public WrongCursorException(String message) {
            super(message);
        }
    }

    /**
     * A retained message without its payload.
     *
     * @param receivedAtMillis wall time since 1970
     * @param expiresAtMillis wall time since 1970; -1 for never
     */
    record RetainedView(String topic, int qos, long payloadBytes, long receivedAtMillis, long expiresAtMillis) {
        public static RetainedView of(Message message) {
            long seconds = message.properties().messageExpirySeconds();
            return new RetainedView(
                    message.topic(),
                    message.qos().value(),
                    message.payload().length,
                    message.receivedAtMillis(),
                    seconds < 0 ? -1 : message.receivedAtMillis() + 1_000 * seconds);
        }
    }

    /**
     * Messages whose topics match the filter, by topic, level by level. One that is set or cleared between two pages
     * may be in one or in none; all others are in exactly one.
     *
     * @param cursor of the page before, with the same filter, of the alphabet of URLs; null for the first
     * @param limit 1 to {@link #MAX_LIMIT}; fewer may come although there are more
     */
    CompletableFuture<Page<RetainedView, String>> retained(
            String tenant, String filter, @Nullable String cursor, int limit, Duration within);

    /** The message of one topic; empty when none is retained. */
    CompletableFuture<Optional<Message>> message(String tenant, String topic, Duration within);

    /**
     * Clears the message of one topic. When it fails it may have been done, or be done later. Fails with
     * {@link NotAllowedException} for what the broker alone publishes.
     *
     * @return whether there was one
     */
    CompletableFuture<Boolean> clear(String tenant, String topic, Duration within);

    /**
     * What was cleared.
     *
     * @param next where it goes on; null when all that match were looked at
     */
    record Cleared(int messages, @Nullable String next) {}

    /**
     * Clears messages whose topics match the filter, as {@link #retained} lists them. One that is set meanwhile may be
     * cleared too. When it fails, a part may have been done.
     *
     * @param limit of how many, 1 to {@link #MAX_LIMIT}
     */
    CompletableFuture<Cleared> clearMatching(
            String tenant, String filter, @Nullable String cursor, int limit, Duration within);
}
