package io.godwit.broker.metrics;

import io.godwit.api.port.figure.HistorySource;
import io.godwit.api.port.figure.NodeHistory.Sample;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The last hour of this node: a sample per ten seconds, as differences of the broker's meters. {@link #look} must be
 * called once a second; it reads only a clock, except on the first call in each step. If steps passed without a call,
 * because the process was suspended, the counts are spread over them. Thread-safe.
 */
final class LastHour {
    /** Bound of the series. Reasons are constants of enums. */
    static final int MAX_REASONS = 32;

    private static final long STEP_MILLIS = HistorySource.STEP.toMillis();
    private static final String IN = "godwit.mqtt.publishes.in";
    private static final String OUT = "godwit.mqtt.publishes.out";
    private static final String CONNECTS = "godwit.mqtt.connects";
    private static final String DISCONNECTS = "godwit.mqtt.disconnects";
    private static final String LATENCY = "godwit.mqtt.latency";
    private static final String PEER_DROPPED = "godwit.dist.peer.dropped";
    private static final List<String> DROPPED =
            List.of("godwit.mqtt.messages.dropped", "godwit.inbox.dropped", "godwit.dist.dropped");

    /** The reason of a meter without one. */
    private static final String FULL_LINK = "full_link";

    private final MeterRegistry registry;
    private final LongSupplier millis;
    private final LongSupplier nanoTime;

    // guarded by this
    private final Deque<Sample> samples = new ArrayDeque<>();
    private @Nullable Count before;
    private long step;
    private List<Double> bounds = List.of();

    /** The values of the meters at one time, since the start; latencies per bucket, not cumulative. */
    private record Count(
            long nanos, double in, double out, double connections, Map<String, Double> dropped, List<Long> latencies) {}

    /**
     * @param millis since 1970, never steps back
     * @param nanoTime the monotonic clock
     */
    LastHour(MeterRegistry registry, LongSupplier millis, LongSupplier nanoTime) {
        this.registry = registry;
        this.millis = millis;
        this.nanoTime = nanoTime;
        this.step = millis.getAsLong() / STEP_MILLIS;
    }

    synchronized void look() {
        long now = millis.getAsLong() / STEP_MILLIS;
        if (before != null && now <= step) {
            return;
        }
        Count count = count();
        if (before != null) {
            add(before, count, now);
        }
        before = count;
        step = now;
    }

    private void add(Count from, Count to, long now) {
        double seconds = Math.max(1, to.nanos - from.nanos) / 1e9;
        Map<String, Double> dropped = new TreeMap<>();
        to.dropped.forEach((reason, count) -> {
            double more = count - from.dropped.getOrDefault(reason, 0.0);
            if (more > 0) {
                dropped.put(reason, more / seconds);
            }
        });
        double in = Math.max(0, to.in - from.in) / seconds;
        double out = Math.max(0, to.out - from.out) / seconds;
        long first = Math.max(step + 1, now - HistorySource.MAX_SAMPLES + 1);
        for (long each = first; each <= now; each++) {
            List<Long> latencies = each == now ? minus(to.latencies, from.latencies) : List.of();
            samples.add(new Sample(each * STEP_MILLIS, to.connections, in, out, dropped, latencies));
        }
        while (samples.size() > HistorySource.MAX_SAMPLES) {
            samples.remove();
        }
    }

    private static List<Long> minus(List<Long> counts, List<Long> before) {
        List<Long> more = new ArrayList<>();
        for (int i = 0; i < counts.size(); i++) {
            more.add(Math.max(0, counts.get(i) - (i < before.size() ? before.get(i) : 0)));
        }
        return more.stream().allMatch(count -> count == 0) ? List.of() : List.copyOf(more);
    }

    private Count count() {
        double in = 0;
        double out = 0;
        double connections = 0;
        Map<String, Double> dropped = new TreeMap<>();
        List<Long> latencies = new ArrayList<>();
        for (Meter meter : registry.getMeters()) {
            String name = meter.getId().getName();
            if (name.equals(LATENCY) && meter instanceof Timer timer) {
                addLatencies(timer, latencies);
                continue;
            }
            if (name.equals(IN)) {
                in += value(meter);
            } else if (name.equals(OUT)) {
                out += value(meter);
            } else if (name.equals(CONNECTS)) {
                connections += value(meter);
            } else if (name.equals(DISCONNECTS)) {
                connections -= value(meter);
            } else if (DROPPED.contains(name) || name.equals(PEER_DROPPED)) {
                String reason = meter.getId().getTag("reason");
                String key = reason == null ? FULL_LINK : reason;
                if (dropped.containsKey(key) || dropped.size() < MAX_REASONS) {
                    dropped.merge(key, value(meter), Double::sum);
                }
            }
        }
        return new Count(nanoTime.getAsLong(), in, out, Math.max(0, connections), dropped, latencies);
    }

    private static double value(Meter meter) {
        double value = 0;
        if (meter instanceof FunctionCounter function) {
            value = function.count();
        } else if (meter instanceof Counter counter) {
            value = counter.count();
        }
        return Double.isFinite(value) ? value : 0;
    }

    /** The meter's buckets are cumulative; here each bucket has its own count. */
    private void addLatencies(Timer timer, List<Long> sums) {
        var snapshot = timer.takeSnapshot();
        CountAtBucket[] buckets = snapshot.histogramCounts();
        if (buckets.length == 0) {
            return;
        }
        List<Double> now = new ArrayList<>();
        while (sums.size() <= buckets.length) {
            sums.add(0L);
        }
        long below = 0;
        for (int i = 0; i < buckets.length; i++) {
            now.add(buckets[i].bucket(TimeUnit.MILLISECONDS));
            long upTo = (long) buckets[i].count();
            sums.set(i, sums.get(i) + Math.max(0, upTo - below));
            below = Math.max(below, upTo);
        }
        sums.set(buckets.length, sums.get(buckets.length) + Math.max(0, snapshot.count() - below));
        bounds = now;
    }

    /** The upper bounds of the buckets in milliseconds; empty before the first latency. */
    synchronized List<Double> boundsMillis() {
        return List.copyOf(bounds);
    }

    /** The samples after {@code sinceMillis}, by time. */
    synchronized List<Sample> since(long sinceMillis) {
        return samples.stream()
                .filter(sample -> sample.atMillis() > sinceMillis)
                .toList();
    }
}
