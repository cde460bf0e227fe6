package io.godwit.mqtt.session.core;

import java.util.function.ToLongFunction;

/**
 * Present amounts of the sessions of one event loop, and the number of acknowledged messages. Plain numbers that only
 * the loop writes, since each QoS 1 and 2 message changes them. A sum over all loops may see each slightly late.
 *
 * <p>Numbers of different loops lie in different cache lines: objects made one after the other lie side by side, and a
 * line that two loops write would move between their cores with each message.
 */
public final class LoopCounts {
    /**
     * Padding before and after the numbers, in longs: two cache lines, since processors fetch them in pairs. Together
     * with the array's header it suffices wherever the array lies.
     */
    static final int SPACING = 16;

    private static final int INBOUND = SPACING;
    private static final int OUTBOUND = SPACING + 1;
    private static final int QUEUED = SPACING + 2;
    private static final int ACKNOWLEDGED = SPACING + 3;

    final long[] numbers = new long[ACKNOWLEDGED + 1 + SPACING];

    /** Accepted QoS 1 and 2 publishes without an acknowledgement yet. */
    long inboundUnderWay() {
        return numbers[INBOUND];
    }

    public void changeInboundUnderWay(int change) {
        numbers[INBOUND] += change;
    }

    /** Sent QoS 1 and 2 messages without an acknowledgement yet. */
    long outboundUnderWay() {
        return numbers[OUTBOUND];
    }

    public void changeOutboundUnderWay(int change) {
        numbers[OUTBOUND] += change;
    }

    /** Messages that wait in the memory of live sessions. */
    long queued() {
        return numbers[QUEUED];
    }

    public void changeQueued(int change) {
        numbers[QUEUED] += change;
    }

    /** Messages that clients have acknowledged since the start. */
    long acknowledged() {
        return numbers[ACKNOWLEDGED];
    }

    public void acknowledge() {
        numbers[ACKNOWLEDGED]++;
    }

    /** The sum over all loops. Any thread. */
    static long sum(LoopCounts[] all, ToLongFunction<LoopCounts> value) {
        long sum = 0;
        for (LoopCounts each : all) {
            sum += value.applyAsLong(each);
        }
        return sum;
    }
}
