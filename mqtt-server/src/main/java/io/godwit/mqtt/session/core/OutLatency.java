package io.godwit.mqtt.session.core;

import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.report.MessageMetrics;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import java.util.function.LongSupplier;

/**
 * Measures how long messages take from arrival to a client's connection, for one of {@link #ONE_OF} copies that each
 * event loop sends. A message already has its time of arrival, so this costs a counter for each copy and a clock read
 * for one in {@link #ONE_OF}. Each loop has its own counter.
 */
public final class OutLatency {
    static final int ONE_OF = 64;
    /** Numbers of different loops lie in different cache lines. */
    private static final int SPACING = 16;

    private final int[] counts;
    private final MessageMetrics metrics;
    private final LongSupplier wallMillis;

    /**
     * @param loops the number of event loops
     * @param wallMillis the wall clock that messages take their time from
     */
    OutLatency(int loops, MessageMetrics metrics, LongSupplier wallMillis) {
        this.counts = new int[(loops + 1) * SPACING];
        this.metrics = metrics;
        this.wallMillis = wallMillis;
    }

    /**
     * A copy was handed to a connection, on its loop.
     *
     * @param sinceMillis messages that arrived before this waited for their receiver and are not measured. Wall clock
     */
    public void sent(LoopContext loop, Message message, Qos qos, long sinceMillis) {
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
