package io.godwit.api.port;

import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import java.util.concurrent.CompletableFuture;

/** Publishes as the broker's clients do. Called on any thread; calls return at once and do not block. */
public interface MessagePublisher {
    /**
     * A message to be published.
     *
     * @param topic a valid topic name, behind rewriting rules and mount points
     * @param payload handed over, never modified
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on once, never compared or changed
    record Outgoing(String topic, byte[] payload, Qos qos, boolean retain, MessageProperties properties) {}

    /** What became of a message. */
    enum Outcome {
        /** Each receiver has it: in its session's memory, or committed; or its session has dropped it by its limit. */
        DELIVERED,
        /** It is retained if it was to be, and nobody is subscribed to its topic. */
        NO_SUBSCRIBERS,
        /** A store takes no more now: it is certain that it has not been stored. */
        OVERLOADED,
        /** A store could not write it, or it is not known whether it did: a part of the receivers may have it. */
        NOT_STORED
    }

    /** More than the broker takes in one message. */
    final class TooLargeException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public TooLargeException(String message) {
            super(message);
        }
    }

    /**
     * Completes with what became of it, once that is known: where PUBACK would have been sent to a client. Fails with
     * {@link NotServingException} when this node cannot publish now or has too much under way;
     * {@link NotAllowedException} for a topic that the broker alone publishes to; {@link TooLargeException}; and
     * {@link IllegalArgumentException} for a topic that is over a limit, saying which. In these cases nothing was
     * published. It may take longer than callers wait.
     */
    CompletableFuture<Outcome> publish(String tenant, Outgoing message);
}
