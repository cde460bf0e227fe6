package io.godwit.broker.metrics;

import io.godwit.api.port.MetricsSource;
import io.godwit.api.port.Scrape;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Writes all meters for who asks, on the thread of who asks, never an event loop: gauges may take locks and look at
 * files. Who asks while they are being written gets that answer, and an answer serves everybody for {@link #KEPT}:
 * however often and by how many it is asked, each format is written at most once in that time. Thread-safe.
 */
public final class Scrapes implements MetricsSource {
    /** For so long an answer is given again, from when it was begun. */
    static final Duration KEPT = Duration.ofSeconds(1);

    private final PrometheusMeterRegistry registry;
    private final LongSupplier nanoTime;
    /** Held while meters are written, a few milliseconds: who comes meanwhile waits for the same answer. */
    private final Lock writing = new ReentrantLock();
    /** Guarded by {@link #writing}. */
    private final Map<ScrapeFormat, Written> written = new EnumMap<>(ScrapeFormat.class);

    private record Written(Scrape scrape, long begunNanos) {}

    /** @param nanoTime the monotonic clock */
    Scrapes(PrometheusMeterRegistry registry, LongSupplier nanoTime) {
        this.registry = registry;
        this.nanoTime = nanoTime;
    }

    @Override
    public Scrape scrape(String accept) {
        ScrapeFormat format = ScrapeFormat.accepted(accept);
        long askedNanos = nanoTime.getAsLong();
        writing.lock();
        try {
            Written last = written.get(format);
            if (last == null || askedNanos - last.begunNanos >= KEPT.toNanos()) {
                long begunNanos = nanoTime.getAsLong();
                last = new Written(write(format), begunNanos);
                written.put(format, last);
            }
            return last.scrape;
        } finally {
            writing.unlock();
        }
    }

    private Scrape write(ScrapeFormat format) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);
        try {
            registry.scrape(out, format.contentType());
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes what is written to it", e);
        }
        return new Scrape(format.contentType(), out.toByteArray());
    }
}
