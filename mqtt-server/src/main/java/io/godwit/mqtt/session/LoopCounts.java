package io.godwit.mqtt.session;

import java.util.function.ToLongFunction;

/**
 * What the sessions of one event loop have now, and what their clients have acknowledged: plain numbers that only the
 * loop writes, since each message of QoS 1 and 2 changes them. Whoever adds up those of all loops may see each a moment
 * late.
 *
 * <p>Numbers of different loops lie in different cache lines: objects that are made one after the other lie side by
 * side, and a line that two loops write goes to and fro between their cores with each message.
 */
final class LoopCounts {
    /**
     * What lies before and behind the numbers, in longs: two cache lines, since processors fetch them in pairs. With
     * the array's own head at its beginning that suffices wherever the array lies.
     */
    static final int SPACING = 16;

    private static final int INBOUND = SPACING;
    private static final int OUTBOUND = SPACING + 1;
    private static final int QUEUED = SPACING + 2;
    private static final int ACKNOWLEDGED = SPACING + 3;

    final long[] numbers = new long[ACKNOWLEDGED + 1 + SPACING];

    /** Publishes of QoS 1 and 2 taken in and not acknowledged. */
    long inboundUnderWay() {
        return numbers[INBOUND];
    }

    void changeInboundUnderWay(int change) {
        numbers[INBOUND] += change;
    }

    /** Messages of QoS 1 and 2 sent and not acknowledged. */
    long outboundUnderWay() {
        return numbers[OUTBOUND];
    }

    void changeOutboundUnderWay(int change) {
        numbers[OUTBOUND] += change;
    }

    /** Messages that wait in the memory of live sessions. */
    long queued() {
        return numbers[QUEUED];
    }

    void changeQueued(int change) {
        numbers[QUEUED] += change;
    }

    /** Messages that clients have acknowledged, ever. */
    long acknowledged() {
        return numbers[ACKNOWLEDGED];
    }

    void acknowledge() {
        numbers[ACKNOWLEDGED]++;
    }

    /** Of all loops. Any thread. */
    static long sum(LoopCounts[] all, ToLongFunction<LoopCounts> value) {
        long sum = 0;
        for (LoopCounts each : all) {
            sum += value.applyAsLong(each);
        }
        return sum;
    }
}
