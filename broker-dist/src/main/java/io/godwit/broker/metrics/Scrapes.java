package io.godwit.broker.metrics;

import io.godwit.api.port.figure.MetricsSource;
import io.godwit.api.port.figure.Scrape;
import io.godwit.api.port.figure.ScrapeFormat;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Writes all meters on the calling thread, which must not be an event loop: gauges may take locks and read files. Each
 * call writes all meters; the API caches answers. Thread-safe.
 */
public final class Scrapes implements MetricsSource {
    private final PrometheusMeterRegistry registry;

    Scrapes(PrometheusMeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public Scrape scrape(ScrapeFormat format) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);
        try {
            registry.scrape(out, format.contentType());
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes what is written to it", e);
        }
        return new Scrape(format.contentType(), out.toByteArray());
    }
}
