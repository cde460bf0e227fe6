package io.godwit.broker.metrics;

import io.godwit.api.port.MetricsSource;
import io.godwit.api.port.Scrape;
import io.godwit.api.port.ScrapeFormat;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Writes all meters for who asks, on the thread of who asks, never an event loop: gauges may take locks and look at
 * files. Each call writes them all: the API remembers answers. Thread-safe.
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
