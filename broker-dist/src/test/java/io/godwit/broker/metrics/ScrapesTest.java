package io.godwit.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.figure.Scrape;
import io.godwit.api.port.figure.ScrapeFormat;
import io.micrometer.core.instrument.Counter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ScrapesTest {
    private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Scrapes scrapes = new Scrapes(registry);

    ScrapesTest() {
        Counter.builder("godwit.test.things")
                .description("things")
                .register(registry)
                .increment();
    }

    @Test
    void eachFormatIsWrittenAsItIs() {
        Scrape plain = scrapes.scrape(ScrapeFormat.TEXT);
        Scrape open = scrapes.scrape(ScrapeFormat.OPEN_METRICS);
        assertThat(plain.contentType()).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
        assertThat(text(plain))
                .contains("# TYPE godwit_test_things_total counter", "godwit_test_things_total 1.0")
                .doesNotContain("# EOF");
        assertThat(open.contentType()).startsWith(OPEN_METRICS);
        assertThat(text(open)).contains("# TYPE godwit_test_things counter").endsWith("# EOF\n");
    }

    private static String text(Scrape scrape) {
        return new String(scrape.text(), StandardCharsets.UTF_8);
    }
}
