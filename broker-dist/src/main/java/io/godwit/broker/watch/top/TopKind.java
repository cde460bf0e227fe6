package io.godwit.broker.watch.top;

import io.godwit.broker.watch.wire.TopRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A kind of list, with the meaning of its items' numbers, in this order. */
enum TopKind {
    /** Average, worst and pending time in milliseconds. */
    SLOW_SUBSCRIBERS(TopRequest.Kind.SLOW_SUBSCRIBERS, 3),
    /** The count to sort by and its error, messages in and out, bytes in and out. So do the next two. */
    CLIENTS_BY_MESSAGES(TopRequest.Kind.CLIENTS_BY_MESSAGES, 6),
    CLIENTS_BY_BYTES(TopRequest.Kind.CLIENTS_BY_BYTES, 6),
    TOPICS(TopRequest.Kind.TOPICS, 6);

    private final TopRequest.Kind wire;
    private final int numbers;

    TopKind(TopRequest.Kind wire, int numbers) {
        this.wire = wire;
        this.numbers = numbers;
    }

    TopRequest.Kind wire() {
        return wire;
    }

    int numbers() {
        return numbers;
    }

    static @Nullable TopKind of(TopRequest.Kind wire) {
        for (TopKind kind : values()) {
            if (kind.wire == wire) {
                return kind;
            }
        }
        return null;
    }

    /**
     * A request for a list.
     *
     * @param tenant empty for all
     * @param limit at least 1
     */
    record Question(TopKind kind, Optional<String> tenant, int limit) {
        /** Each node sends more items than the operator wants, since small counts on many nodes may add up. */
        static final int MAX_LIMIT = 400;

        Question {
            if (limit < 1 || limit > MAX_LIMIT) {
                throw new IllegalArgumentException("a list of " + limit);
            }
        }
    }
}
