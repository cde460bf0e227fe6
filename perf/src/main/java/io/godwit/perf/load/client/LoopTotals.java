package io.godwit.perf.load.client;

import io.godwit.perf.load.measure.Errors;
import io.godwit.perf.load.measure.Histograms;
import io.godwit.perf.load.measure.Spread;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Adds up the counters of all event loops of a run, and the errors of its relay. {@code LoadRun} owns and adds the
 * loops. Used by the thread that leads the run.
 */
public final class LoopTotals {
    private final List<LoadLoop> loops;
    private final Errors relayErrors;

    public LoopTotals(List<LoadLoop> loops, Errors relayErrors) {
        this.loops = loops;
        this.relayErrors = relayErrors;
    }

    public long sum(ToLongFunction<LoopCounters> counter) {
        return loops.stream()
                .mapToLong(loop -> counter.applyAsLong(loop.counters))
                .sum();
    }

    /** The values that the loops' recorders have collected since the last call. */
    public Histogram taken(Function<LoopCounters, SingleWriterRecorder> recorder) {
        Histogram sum = Histograms.histogram();
        loops.forEach(loop -> sum.add(recorder.apply(loop.counters).getIntervalHistogram()));
        return sum;
    }

    public long errorCount() {
        return sum(c -> c.errors.count()) + relayErrors.count();
    }

    public Map<String, Long> errors() {
        Map<String, Long> errors = new HashMap<>();
        for (LoadLoop loop : loops) {
            loop.counters.errors.addTo(errors);
        }
        relayErrors.addTo(errors);
        return errors;
    }

    /** The most frequent error. Those of relays come first, as clients then see only a closed connection. */
    public String errorText() {
        return relayErrors
                .mostFrequent()
                .or(() -> errors().entrySet().stream()
                        .max(Map.Entry.comparingByValue())
                        .map(Map.Entry::getKey))
                .orElse("without an error");
    }

    // ---- after the loops have handed over their state

    /** The values of all loops over the whole run. */
    public Spread whole(Function<LoopCounters, Histogram> histogram) {
        Histogram sum = Histograms.histogram();
        loops.forEach(loop -> sum.add(histogram.apply(loop.counters)));
        return Spread.of(sum);
    }

    /** Messages per second of each one-shot client, added up. */
    public double clientRates() {
        return loops.stream().mapToDouble(loop -> loop.counters.clientRates).sum();
    }

    public List<PublishingClient> publishers() {
        List<PublishingClient> publishers = new ArrayList<>();
        loops.forEach(loop -> publishers.addAll(loop.publishers));
        return publishers;
    }

    public List<SubscribingClient> subscribers() {
        List<SubscribingClient> subscribers = new ArrayList<>();
        loops.forEach(loop -> subscribers.addAll(loop.subscribers));
        return subscribers;
    }
}
