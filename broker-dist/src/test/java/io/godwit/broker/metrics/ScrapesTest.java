package io.godwit.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.Scrape;
import io.godwit.testing.Await;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ScrapesTest {
    private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    /** How often a gauge was read: once for each time that all is written. */
    private final AtomicInteger written = new AtomicInteger();

    private final CountDownLatch held = new CountDownLatch(1);
    private final AtomicLong nanos = new AtomicLong(1_000);
    private final Scrapes scrapes = new Scrapes(registry, nanos::get);

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
    void twoScrapesAtTheSameTimeDoTheWorkOnce() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        Gauge.builder("godwit.test.slow", begun, entered -> {
                    entered.incrementAndGet();
                    return await(held);
                })
                .description("waits")
                .register(registry);
        CompletableFuture<Scrape> first = CompletableFuture.supplyAsync(() -> scrapes.scrape(""));
        Await.until(() -> "being written", Duration.ofSeconds(10), () -> begun.get() == 1);
        CompletableFuture<Scrape> second = CompletableFuture.supplyAsync(() -> scrapes.scrape(""));
        held.countDown();
        assertThat(second.get(10, TimeUnit.SECONDS)).isSameAs(first.get(10, TimeUnit.SECONDS));
        assertThat(written).hasValue(1);
    }

    private static double await(CountDownLatch latch) {
        try {
            return latch.await(10, TimeUnit.SECONDS) ? 1 : 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aScrapeEvery100MillisecondsCostsOneASecond() {
        for (int i = 0; i < 100; i++) {
            scrapes.scrape("");
            nanos.addAndGet(100_000_000);
        }
        assertThat(written).hasValue(10);
    }

    @Test
    void eachFormatIsWrittenAsItIs() {
        Scrape plain = scrapes.scrape("");
        Scrape open = scrapes.scrape(OPEN_METRICS);
        assertThat(plain.contentType()).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
        assertThat(text(plain))
                .contains("# TYPE godwit_test_things_total counter", "godwit_test_things_total 1.0")
                .doesNotContain("# EOF");
        assertThat(open.contentType()).startsWith(OPEN_METRICS);
        assertThat(text(open)).contains("# TYPE godwit_test_things counter").endsWith("# EOF\n");
    }

    @Test
    void theFormatThatIsWantedMostIsTaken() {
        assertThat(ScrapeFormat.accepted("")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted("*/*")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted("application/json")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted(OPEN_METRICS)).isEqualTo(ScrapeFormat.OPEN_METRICS);
        assertThat(ScrapeFormat.accepted("application/openmetrics-text;version=1.0.0;q=0.5,"
                        + "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"))
                .isEqualTo(ScrapeFormat.OPEN_METRICS);
        assertThat(ScrapeFormat.accepted("text/plain, application/openmetrics-text;q=0.5"))
                .isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted("application/openmetrics-text;q=0")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted("application/openmetrics-text;q=x")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted(";,;,".repeat(10_000))).isEqualTo(ScrapeFormat.TEXT);
    }

    private static String text(Scrape scrape) {
        return new String(scrape.text(), StandardCharsets.UTF_8);
    }
}
