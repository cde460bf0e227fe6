package io.godwit.perf.jmh;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The cost of counting and timing, by registry. Counters of the hot path are adders that the registry reads ({@code
 * adder}), whose cost does not depend on the registry.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CounterBenchmark {
    @Param({"simple", "prometheus"})
    public String registry = "";

    private final LongAdder adder = new LongAdder();
    private Counter counter = new SimpleMeterRegistry().counter("none");
    private Timer timer = new SimpleMeterRegistry().timer("none");

    @Setup
    public void setUp() {
        MeterRegistry meters = registry.equals("simple")
                ? new SimpleMeterRegistry()
                : new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        FunctionCounter.builder("hot", adder, LongAdder::sum).register(meters);
        counter = meters.counter("rare");
        timer = Timer.builder("timed")
                .serviceLevelObjectives(
                        Duration.ofNanos(100_000), Duration.ofMillis(1), Duration.ofMillis(10), Duration.ofSeconds(1))
                .register(meters);
    }

    @Benchmark
    public void adder() {
        adder.increment();
    }

    @Benchmark
    public void counter() {
        counter.increment();
    }

    @Benchmark
    public void timer() {
        timer.record(123_456, TimeUnit.NANOSECONDS);
    }
}
