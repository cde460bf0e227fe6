package io.godwit.perf.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsageTest {
    @Test
    void aProcessIsReadThoughItsNameHasBracketsAndSpaces() {
        String stat = "42 (a (odd) name) S 1 42 42 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 30 0 12345 1000000 2000";

        Usage usage = ProcessUsage.parse(stat, "Name:\tx\nVmRSS:\t  2048 kB\n");

        assertThat(usage).isEqualTo(new Usage(3_000_000_000L, 2_500_000_000L, 2_048 * 1_024));
    }

    @Test
    void thisProcessIsThereAndOneThatIsNotIsNot() {
        assertThat(new ProcessUsage(List.of(ProcessHandle.current().pid())).read())
                .hasValueSatisfying(usage -> assertThat(usage.residentBytes()).isGreaterThan(1 << 20));
        assertThat(new ProcessUsage(List.of(4_194_304_000L)).read()).isEmpty();
    }

    @Test
    void thePortOfAServerHereLeadsToItsProcess() throws Exception {
        try (ServerSocket server = new ServerSocket(0)) {
            assertThat(ListeningProcess.onPort(server.getLocalPort()))
                    .contains(ProcessHandle.current().pid());
        }
    }

    @Test
    void prometheusCountersAreReadWhateverStandsAround() {
        String text = """
                # HELP process_cpu_seconds_total Total user and system CPU time
                # TYPE process_cpu_seconds_total counter
                process_cpu_seconds_total 12.5
                process_resident_memory_bytes{instance="a b"} 1.048576E6 1700000000000
                something odd here
                jvm_memory_used_bytes{area="heap"} 5.0
                """;

        assertThat(metrics().usage(0, text, 1)).contains(new Usage(12_500_000_000L, -1, 1 << 20));
    }

    @Test
    void aShareOfTheCoresIsSummedOverTime() {
        MetricsUsage metrics = metrics();
        String text = "process_cpu_usage 0.25\njvm_memory_used_bytes{area=\"heap\"} "
                + "5\njvm_memory_used_bytes{area=\"nonheap\"} 7\n";

        metrics.usage(0, text, 1_000_000_000L);

        assertThat(metrics.usage(0, text, 3_000_000_000L)).contains(new Usage(2_000_000_000L, -1, 12));
    }

    @Test
    void metricsWithoutCpuSayNothing() {
        assertThat(metrics().usage(0, "up 1\nprocess_cpu_usage NaN\n", 1)).isEmpty();
    }

    private static MetricsUsage metrics() {
        return new MetricsUsage(List.of(URI.create("http://127.0.0.1:1/metrics")), 4);
    }

    @Test
    void theLimitsOfThisProcessAreKnown() {
        assertThat(ProcessLimits.openFiles().orElse(Long.MAX_VALUE)).isGreaterThan(100);
        assertThat(ProcessLimits.localPorts().orElse(Long.MAX_VALUE)).isGreaterThan(100);
    }
}
