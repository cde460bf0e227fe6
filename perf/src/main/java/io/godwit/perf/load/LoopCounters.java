package io.godwit.perf.load;

import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * What happens on one event loop. The loop writes; the thread that samples reads adders and recorders at any time, the
 * histograms of the whole run only when the loop has handed them over.
 */
final class LoopCounters {
    final LongAdder connected = new LongAdder();
    final LongAdder connectFailed = new LongAdder();
    final LongAdder disconnected = new LongAdder();
    final LongAdder sent = new LongAdder();
    /** Of those sent: the client could not write them. */
    final LongAdder notWritten = new LongAdder();

    final LongAdder acknowledged = new LongAdder();
    /** All that arrived, repeats too. */
    final LongAdder received = new LongAdder();

    /** Of what was meant to be sent in the measured time: sent at QoS 0, or acknowledged; and delivered. */
    final LongAdder measuredIn = new LongAdder();

    final LongAdder measuredOut = new LongAdder();
    final LongAdder repeated = new LongAdder();
    final LongAdder overtaken = new LongAdder();
    final LongAdder foreign = new LongAdder();
    final Errors errors = new Errors();
    final LongAdder fenced = new LongAdder();
    /** Clients of {@link io.godwit.perf.scenario.Topology#CONNECT_AND_PUBLISH} that are through. */
    final LongAdder finished = new LongAdder();

    final SingleWriterRecorder latencyNow = Histograms.recorder();
    final SingleWriterRecorder latenessNow = Histograms.recorder();
    final SingleWriterRecorder connectNow = Histograms.recorder();

    /** Of what was meant to be sent in the measured time. */
    final Histogram latency = Histograms.histogram();

    final Histogram lateness = Histograms.histogram();
    final Histogram acknowledgement = Histograms.histogram();
    final Histogram connect = Histograms.histogram();
    /** From SUBSCRIBE to SUBACK, refused ones too. */
    final Histogram subscribe = Histograms.histogram();

    /** By how much connections were opened later than planned. */
    final Histogram connectLateness = Histograms.histogram();
    /**
     * From opening a connection to its last message, and from handing a message over to its being written or
     * acknowledged.
     */
    final Histogram clientRuntime = Histograms.histogram();

    final Histogram messageTime = Histograms.histogram();
    /** Of the clients' messages per second, each by itself. */
    double clientRates;
}
