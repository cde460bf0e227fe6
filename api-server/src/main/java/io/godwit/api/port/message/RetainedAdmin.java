package io.godwit.api.port.message;

import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.Page;
import io.godwit.plugin.message.Message;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The retained messages of all nodes. Called on any thread; calls return at once and do not block. Futures complete on
 * any thread, which the callback must not block, soon after {@code within} at the latest. They fail with
 * {@link NotServingException} when a required range has no leader in time, or too many requests are under way; with
 * {@link IllegalArgumentException} for an invalid limit, topic or filter; and with {@link WrongCursorException} for an
 * invalid cursor or one of another list.
 */
public interface RetainedAdmin {
    /** The most messages of a page. */
    int MAX_LIMIT = 1_000;

    /** A cursor that did not come from this list. */
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
     * Messages whose topics match the filter, by topic, level by level. A message that is set or cleared between two
     * pages may be in one or in none; all others are in exactly one.
     *
     * @param cursor from the last page, with the same filter, URL-safe; null for the first
     * @param limit 1 to {@link #MAX_LIMIT}; a page may have fewer although more follow
     */
    CompletableFuture<Page<RetainedView, String>> retained(
            String tenant, String filter, @Nullable String cursor, int limit, Duration within);

    /** The message of one topic; empty when none is retained. */
    CompletableFuture<Optional<Message>> message(String tenant, String topic, Duration within);

    /**
     * Clears the message of one topic. If the future fails, it may have been cleared, or may be cleared later. Fails
     * with {@link NotAllowedException} for topics that only the broker publishes to.
     *
     * @return whether there was one
     */
    CompletableFuture<Boolean> clear(String tenant, String topic, Duration within);

    /**
     * The result of clearing.
     *
     * @param next cursor to continue from; null when all that match were looked at
     */
    record Cleared(int messages, @Nullable String next) {}

    /**
     * Clears messages whose topics match the filter, in the order of {@link #retained}. A message set meanwhile may be
     * cleared too. If the future fails, some may have been cleared.
     *
     * @param limit of how many, 1 to {@link #MAX_LIMIT}
     */
    CompletableFuture<Cleared> clearMatching(
            String tenant, String filter, @Nullable String cursor, int limit, Duration within);
}
