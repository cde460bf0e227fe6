package io.godwit.perf.load.client;

import io.godwit.perf.load.measure.Errors;
import io.godwit.perf.load.measure.Histograms;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * What happens on one event loop. The loop writes. The thread that samples reads adders and recorders at any time, but
 * the histograms of the whole run only after the loop has handed them over.
 */
public final class LoopCounters {
    public final LongAdder connected = new LongAdder();
    public final LongAdder connectFailed = new LongAdder();
    public final LongAdder disconnected = new LongAdder();
    public final LongAdder sent = new LongAdder();
    /** Messages counted in {@link #sent} that the client could not write. */
    public final LongAdder notWritten = new LongAdder();

    public final LongAdder acknowledged = new LongAdder();
    /** All arrivals, including repeats. */
    public final LongAdder received = new LongAdder();

    /**
     * Messages meant to be sent in the measured time: those sent at QoS 0 or acknowledged, and below their deliveries.
     */
    public final LongAdder measuredIn = new LongAdder();

    public final LongAdder measuredOut = new LongAdder();
    public final LongAdder repeated = new LongAdder();
    public final LongAdder overtaken = new LongAdder();
    public final LongAdder foreign = new LongAdder();
    public final Errors errors = new Errors();
    public final LongAdder fenced = new LongAdder();
    /** Clients of {@link io.godwit.perf.scenario.Topology#CONNECT_AND_PUBLISH} that are finished. */
    public final LongAdder finished = new LongAdder();

    public final SingleWriterRecorder latencyNow = Histograms.recorder();
    public final SingleWriterRecorder latenessNow = Histograms.recorder();
    public final SingleWriterRecorder connectNow = Histograms.recorder();

    /** This and the next two only count messages that were meant to be sent in the measured time. */
    public final Histogram latency = Histograms.histogram();

    public final Histogram lateness = Histograms.histogram();
    public final Histogram acknowledgement = Histograms.histogram();
    public final Histogram connect = Histograms.histogram();
    /** From SUBSCRIBE to SUBACK, including refused subscriptions. */
    public final Histogram subscribe = Histograms.histogram();

    /** How much later than planned connections were opened. */
    public final Histogram connectLateness = Histograms.histogram();
    /**
     * Of one-shot clients: from opening the connection to the last message, and below from handing over a message until
     * it was written or acknowledged.
     */
    public final Histogram clientRuntime = Histograms.histogram();

    public final Histogram messageTime = Histograms.histogram();
    /** Messages per second of each one-shot client, added up. */
    double clientRates;
}
