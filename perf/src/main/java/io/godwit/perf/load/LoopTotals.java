package io.godwit.perf.load;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Adds up what all event loops of a run have counted, and its relay's errors. Owns none of it: {@link LoadRun} adds the
 * loops. Read by the thread that leads the run.
 */
final class LoopTotals {
    private final List<LoadLoop> loops;
    private final Errors relayErrors;

    LoopTotals(List<LoadLoop> loops, Errors relayErrors) {
        this.loops = loops;
        this.relayErrors = relayErrors;
    }

    long sum(ToLongFunction<LoopCounters> counter) {
        return loops.stream()
                .mapToLong(loop -> counter.applyAsLong(loop.counters))
                .sum();
    }

    /** What the loops' recorders have gathered since the last call. */
    Histogram taken(Function<LoopCounters, SingleWriterRecorder> recorder) {
        Histogram sum = Histograms.histogram();
        loops.forEach(loop -> sum.add(recorder.apply(loop.counters).getIntervalHistogram()));
        return sum;
    }

    long errorCount() {
        return sum(c -> c.errors.count()) + relayErrors.count();
    }

    Map<String, Long> errors() {
        Map<String, Long> errors = new HashMap<>();
        for (LoadLoop loop : loops) {
            loop.counters.errors.addTo(errors);
        }
        relayErrors.addTo(errors);
        return errors;
    }

    /** The most frequent one; of relays first, since clients see but a closed connection then. */
    String errorText() {
        return relayErrors
                .mostFrequent()
                .or(() -> errors().entrySet().stream()
                        .max(Map.Entry.comparingByValue())
                        .map(Map.Entry::getKey))
                .orElse("without an error");
    }

    // ---- once the loops have handed over what is theirs

    /** Of the whole run. */
    Spread whole(Function<LoopCounters, Histogram> histogram) {
        Histogram sum = Histograms.histogram();
        loops.forEach(loop -> sum.add(histogram.apply(loop.counters)));
        return Spread.of(sum);
    }

    /** Messages per second of each one-shot client, added up. */
    double clientRates() {
        return loops.stream().mapToDouble(loop -> loop.counters.clientRates).sum();
    }

    List<Publisher> publishers() {
        List<Publisher> publishers = new ArrayList<>();
        loops.forEach(loop -> publishers.addAll(loop.publishers));
        return publishers;
    }

    List<Subscriber> subscribers() {
        List<Subscriber> subscribers = new ArrayList<>();
        loops.forEach(loop -> subscribers.addAll(loop.subscribers));
        return subscribers;
    }
}
