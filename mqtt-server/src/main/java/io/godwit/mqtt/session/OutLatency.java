package io.godwit.mqtt.session;

import io.godwit.mqtt.transport.LoopContext;
import io.godwit.mqtt.transport.MqttMetrics;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.function.LongSupplier;

/**
 * How long messages take from their arrival to a client's connection: of one of {@link #ONE_OF} copies that each event
 * loop sends. The message has the time of its arrival, so this costs a count for each copy and the clock for one of
 * them, and no message grows. Each loop has a count of its own.
 */
final class OutLatency {
    static final int ONE_OF = 64;
    /** Numbers of different loops lie in different cache lines. */
    private static final int SPACING = 16;

    private final int[] counts;
    private final MqttMetrics metrics;
    private final LongSupplier wallMillis;

    /**
     * @param loops the number of event loops
     * @param wallMillis the wall clock that messages have their time from
     */
    OutLatency(int loops, MqttMetrics metrics, LongSupplier wallMillis) {
        this.counts = new int[(loops + 1) * SPACING];
        this.metrics = metrics;
        this.wallMillis = wallMillis;
    }

    /**
     * A copy has been handed to a connection, by its loop.
     *
     * @param sinceMillis a message that came before that waited for its receiver: it is not timed. Wall clock
     */
    void sent(LoopContext loop, Message message, Qos qos, long sinceMillis) {
        int place = (loop.index() + 1) * SPACING;
        int count = counts[place] + 1;
        if (count < ONE_OF) {
            counts[place] = count;
            return;
        }
        counts[place] = 0;
        if (message.receivedAtMillis() >= sinceMillis) {
            metrics.sentAfter(qos, Math.max(0, wallMillis.getAsLong() - message.receivedAtMillis()));
        }
    }
}
