package io.godwit.perf.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs each benchmark once, with a small load. {@code bin/perf.sh jmh} is for measuring. */
class BenchmarkSmokeTest {
    @Test
    void eachRunsOnce() throws Exception {
        System.setProperty("jmh.ignoreLock", "true");
        Options once = new OptionsBuilder()
                .include("io\\.godwit\\..*Benchmark\\.")
                .mode(Mode.SingleShotTime)
                .forks(0)
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementBatchSize(1)
                .param("connections", "1000")
                .param("filters", "1000")
                .param("receivers", "100")
                .param("messages", "16")
                .param("packets", "16")
                .param("payloadBytes", "32", "16384")
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
        long benchmarks = BenchmarkList.defaultList()
                .getAll(OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT), java.util.List.of())
                .stream()
                .map(entry -> entry.getUsername())
                .distinct()
                .count();

        Collection<RunResult> results = new Runner(once).run();

        assertThat(benchmarks).isGreaterThan(10);
        assertThat(results.stream()
                        .map(result -> result.getParams().getBenchmark())
                        .distinct())
                .hasSize((int) benchmarks);
    }
}
