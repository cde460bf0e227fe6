package io.godwit.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ScrapesTest {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    /** How often a gauge was read: once for each time that all is written. */
    private final AtomicInteger written = new AtomicInteger();

    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private long nanos = 1_000;
    private final Scrapes scrapes = new Scrapes(registry, tasks::add, () -> nanos);

    ScrapesTest() {
        Gauge.builder("godwit.test.reads", written, AtomicInteger::incrementAndGet)
                .description("how often it was read")
                .register(registry);
        Counter.builder("godwit.test.things")
                .description("things")
                .register(registry)
                .increment();
    }

    @Test
    void twoScrapesAtTheSameTimeDoTheWorkOnce() {
        CompletableFuture<byte[]> first = scrapes.scrape(ScrapeFormat.TEXT);
        CompletableFuture<byte[]> second = scrapes.scrape(ScrapeFormat.TEXT);
        assertThat(first).isNotDone();
        runAll();
        assertThat(written).hasValue(1);
        assertThat(text(first)).isEqualTo(text(second)).contains("godwit_test_things_total 1.0");
    }

    @Test
    void aScrapeEvery100MillisecondsCostsOneASecond() {
        for (int i = 0; i < 100; i++) {
            scrapes.scrape(ScrapeFormat.TEXT);
            runAll();
            nanos += 100_000_000;
        }
        assertThat(written).hasValue(10);
    }

    @Test
    void aSlowAnswerIsNotBegunASecondTime() {
        CompletableFuture<byte[]> first = scrapes.scrape(ScrapeFormat.TEXT);
        nanos += 60_000_000_000L;
        CompletableFuture<byte[]> second = scrapes.scrape(ScrapeFormat.TEXT);
        runAll();
        assertThat(written).hasValue(1);
        assertThat(text(second)).isEqualTo(text(first));
    }

    @Test
    void eachFormatIsWrittenAsItIs() {
        CompletableFuture<byte[]> plain = scrapes.scrape(ScrapeFormat.TEXT);
        CompletableFuture<byte[]> open = scrapes.scrape(ScrapeFormat.OPEN_METRICS);
        runAll();
        assertThat(text(plain)).contains("# TYPE godwit_test_things_total counter").doesNotContain("# EOF");
        assertThat(text(open)).contains("# TYPE godwit_test_things counter").endsWith("# EOF\n");
    }

    @Test
    void whoAskedCannotSpoilTheAnswerOfOthers() {
        scrapes.scrape(ScrapeFormat.TEXT).cancel(true);
        CompletableFuture<byte[]> second = scrapes.scrape(ScrapeFormat.TEXT);
        runAll();
        assertThat(second).isCompleted();
    }

    @Test
    void aStoppedBrokerSaysSo() {
        Scrapes stopped = new Scrapes(
                registry,
                task -> {
                    throw new RejectedExecutionException("stopped");
                },
                () -> nanos);
        assertThatThrownBy(stopped.scrape(ScrapeFormat.TEXT)::join).hasRootCauseInstanceOf(
                RejectedExecutionException.class);
    }

    @Test
    void theFormatThatIsWantedMostIsTaken() {
        assertThat(ScrapeFormat.accepted(null)).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted("*/*")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted("application/json")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted("application/openmetrics-text; version=1.0.0"))
                .isEqualTo(ScrapeFormat.OPEN_METRICS);
        assertThat(ScrapeFormat.accepted("application/openmetrics-text;version=1.0.0;q=0.5,"
                        + "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"))
                .isEqualTo(ScrapeFormat.OPEN_METRICS);
        assertThat(ScrapeFormat.accepted("text/plain, application/openmetrics-text;q=0.5"))
                .isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted("application/openmetrics-text;q=0")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted("application/openmetrics-text;q=x")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted(";,;,".repeat(10_000))).isEqualTo(ScrapeFormat.TEXT);
    }

    private void runAll() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private static String text(CompletableFuture<byte[]> answer) {
        return new String(answer.join(), StandardCharsets.UTF_8);
    }
}
