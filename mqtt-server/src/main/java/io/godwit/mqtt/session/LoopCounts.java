package io.godwit.mqtt.session;

import java.util.function.ToLongFunction;

/**
 * What the sessions of one event loop have now, and what their clients have acknowledged: plain numbers that only the
 * loop writes, since each message of QoS 1 and 2 changes them. Whoever adds up those of all loops may see each a moment
 * late.
 */
final class LoopCounts {
    /** Publishes of QoS 1 and 2 taken in and not acknowledged. */
    long inboundUnderWay;
    /** Messages of QoS 1 and 2 sent and not acknowledged. */
    long outboundUnderWay;
    /** Messages that wait in the memory of live sessions. */
    long queued;
    /** Messages that clients have acknowledged, ever. */
    long acknowledged;

    /** Of all loops. Any thread. */
    static long sum(LoopCounts[] all, ToLongFunction<LoopCounts> value) {
        long sum = 0;
        for (LoopCounts each : all) {
            sum += value.applyAsLong(each);
        }
        return sum;
    }
}
