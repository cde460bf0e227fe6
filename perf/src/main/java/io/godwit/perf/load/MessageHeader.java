package io.godwit.perf.load;

import io.vertx.core.buffer.Buffer;

/**
 * What a payload begins with, as far as it has room.
 *
 * <pre>
 * 16 bytes and more    when it was meant to be sent, nanoseconds since 1970 (8), publisher (4), sequence (4)
 * 8 to 15 bytes        publisher (4), sequence (4): loss, repeats and order are seen, latency is not
 * 7 bytes and less     nothing: messages are counted, and that is all
 * </pre>
 *
 * <p>The sequence counts the messages of one publisher to one topic.
 */
public enum MessageHeader {
    FULL(16),
    SEQUENCE(8),
    NONE(0);

    /** What is further from now than this is no time of ours. */
    private static final long PLAUSIBLE_NANOS = 24L * 3_600 * 1_000_000_000;

    private final int bytes;

    MessageHeader(int bytes) {
        this.bytes = bytes;
    }

    /** The one that a payload of this size has room for. */
    public static MessageHeader fitting(int payloadBytes) {
        return payloadBytes >= FULL.bytes ? FULL : payloadBytes >= SEQUENCE.bytes ? SEQUENCE : NONE;
    }

    boolean hasTime() {
        return this == FULL;
    }

    boolean hasSequence() {
        return this != NONE;
    }

    Buffer payload(int payloadBytes, long epochNanos, int publisher, int sequence) {
        Buffer payload = Buffer.buffer(new byte[payloadBytes]);
        int at = 0;
        if (hasTime()) {
            payload.setLong(0, epochNanos);
            at = 8;
        }
        if (hasSequence()) {
            payload.setInt(at, publisher).setInt(at + 4, sequence);
        }
        return payload;
    }

    static long epochNanos(Buffer payload) {
        return payload.getLong(0);
    }

    int publisher(Buffer payload) {
        return payload.getInt(hasTime() ? 8 : 0);
    }

    int sequence(Buffer payload) {
        return payload.getInt(hasTime() ? 12 : 4);
    }

    static boolean isPlausible(long epochNanos, long nowEpochNanos) {
        return Math.abs(nowEpochNanos - epochNanos) < PLAUSIBLE_NANOS;
    }

    /** What can be told of messages with this header, for the user; empty when all can. */
    public String limitation() {
        return switch (this) {
            case FULL -> "";
            case SEQUENCE -> "payloads below 16 bytes have no room for the time of sending: latency is not measured";
            case NONE ->
                "payloads below 8 bytes have no room for a sequence: only their number is compared, repeats "
                        + "and order are not seen";
        };
    }
}
