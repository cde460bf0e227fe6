package io.godwit.perf.load.check;

import io.vertx.core.buffer.Buffer;

/**
 * The header at the beginning of a payload, which depends on the payload's size.
 *
 * <pre>
 * 16 bytes and more    intended time of sending, nanoseconds since 1970 (8), publisher (4), sequence (4)
 * 8 to 15 bytes        publisher (4), sequence (4): shows loss, repeats and order, but not latency
 * 7 bytes and less     nothing: messages are only counted
 * </pre>
 *
 * <p>The sequence counts the messages of one publisher to one topic.
 */
public enum MessageHeader {
    FULL(16),
    SEQUENCE(8),
    NONE(0);

    /** A time that differs from now by more than this was not written by this tool. */
    private static final long PLAUSIBLE_NANOS = 24L * 3_600 * 1_000_000_000;

    private final int bytes;

    MessageHeader(int bytes) {
        this.bytes = bytes;
    }

    /** The largest header that fits into a payload of this size. */
    public static MessageHeader fitting(int payloadBytes) {
        return payloadBytes >= FULL.bytes ? FULL : payloadBytes >= SEQUENCE.bytes ? SEQUENCE : NONE;
    }

    public boolean hasTime() {
        return this == FULL;
    }

    public boolean hasSequence() {
        return this != NONE;
    }

    public Buffer payload(int payloadBytes, long epochNanos, int publisher, int sequence) {
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

    public static long epochNanos(Buffer payload) {
        return payload.getLong(0);
    }

    public int publisher(Buffer payload) {
        return payload.getInt(hasTime() ? 8 : 0);
    }

    public int sequence(Buffer payload) {
        return payload.getInt(hasTime() ? 12 : 4);
    }

    public static boolean isPlausible(long epochNanos, long nowEpochNanos) {
        return Math.abs(nowEpochNanos - epochNanos) < PLAUSIBLE_NANOS;
    }

    /** What cannot be measured with this header, for the user; empty if everything can. */
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
