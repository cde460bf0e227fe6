package io.godwit.api.port.message;

import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.NotServingException;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Publishes messages as the broker's clients do. Called on any thread; calls return at once and do not block. */
public interface MessagePublisher {
    /**
     * A message to be published.
     *
     * @param topic a valid topic name, after rewriting rules and mount points
     * @param payload handed over, never modified
     */
    @SuppressWarnings("ArrayRecordComponent") // passed on once, never compared or changed
    record Outgoing(String topic, byte[] payload, Qos qos, boolean retain, MessageProperties properties) {}

    /** The outcome of a publish. */
    enum Outcome {
        /** Each receiver has it: in its session's memory, or committed; or its session dropped it at its limit. */
        DELIVERED,
        /** Nobody is subscribed to its topic. If it was to be retained, it is retained. */
        NO_SUBSCRIBERS,
        /** A store accepts no more now. The message is certainly not stored. */
        OVERLOADED,
        /** Storing failed, or its result is unknown: some of the receivers may have the message. */
        NOT_STORED
    }

    /** The message is larger than the broker accepts. */
    final class TooLargeException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public TooLargeException(String message) {
            super(message);
        }
    }

    /** The settings of the tenant do not allow the value of a field. */
    final class WrongFieldException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String field;

        /** @param field as the request has it */
        public WrongFieldException(String field, String message) {
            super(message, null, false, false);
            this.field = field;
        }

        public String field() {
            return field;
        }
    }

    /** The tenant has published as much as it may per second. */
    final class TooFastException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final Duration wait;

        /** @param wait how long the rate allows no other message */
        public TooFastException(String message, Duration wait) {
            super(message, null, false, false);
            this.wait = wait;
        }

        public Duration waitFor() {
            return wait;
        }
    }

    /**
     * Completes with the outcome, at the time when a client would get PUBACK. Fails with {@link NotServingException}
     * when this node cannot publish now or has too much under way; {@link NotAllowedException} for a topic that only
     * the broker may publish to; {@link TooLargeException}; {@link WrongFieldException}, {@link TooFastException} and
     * {@link LimitReachedException} for what the settings of the tenant do not allow; and
     * {@link IllegalArgumentException} for a topic that is not valid, saying why. In these cases nothing was published.
     * It may take longer than callers wait.
     */
    CompletableFuture<Outcome> publish(String tenant, Outgoing message);
}
