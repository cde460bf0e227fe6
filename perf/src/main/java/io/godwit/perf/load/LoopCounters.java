package io.godwit.perf.load;

import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * What happens on one event loop. The loop writes. The thread that samples reads adders and recorders at any time, but
 * the histograms of the whole run only after the loop has handed them over.
 */
final class LoopCounters {
    final LongAdder connected = new LongAdder();
    final LongAdder connectFailed = new LongAdder();
    final LongAdder disconnected = new LongAdder();
    final LongAdder sent = new LongAdder();
    /** Messages counted in {@link #sent} that the client could not write. */
    final LongAdder notWritten = new LongAdder();

    final LongAdder acknowledged = new LongAdder();
    /** All arrivals, including repeats. */
    final LongAdder received = new LongAdder();

    /**
     * Messages meant to be sent in the measured time: those sent at QoS 0 or acknowledged, and below their deliveries.
     */
    final LongAdder measuredIn = new LongAdder();

    final LongAdder measuredOut = new LongAdder();
    final LongAdder repeated = new LongAdder();
    final LongAdder overtaken = new LongAdder();
    final LongAdder foreign = new LongAdder();
    final Errors errors = new Errors();
    final LongAdder fenced = new LongAdder();
    /** Clients of {@link io.godwit.perf.scenario.Topology#CONNECT_AND_PUBLISH} that are finished. */
    final LongAdder finished = new LongAdder();

    final SingleWriterRecorder latencyNow = Histograms.recorder();
    final SingleWriterRecorder latenessNow = Histograms.recorder();
    final SingleWriterRecorder connectNow = Histograms.recorder();

    /** This and the next two only count messages that were meant to be sent in the measured time. */
    final Histogram latency = Histograms.histogram();

    final Histogram lateness = Histograms.histogram();
    final Histogram acknowledgement = Histograms.histogram();
    final Histogram connect = Histograms.histogram();
    /** From SUBSCRIBE to SUBACK, including refused subscriptions. */
    final Histogram subscribe = Histograms.histogram();

    /** How much later than planned connections were opened. */
    final Histogram connectLateness = Histograms.histogram();
    /**
     * Of one-shot clients: from opening the connection to the last message, and below from handing over a message until
     * it was written or acknowledged.
     */
    final Histogram clientRuntime = Histograms.histogram();

    final Histogram messageTime = Histograms.histogram();
    /** Messages per second of each one-shot client, added up. */
    double clientRates;
}
