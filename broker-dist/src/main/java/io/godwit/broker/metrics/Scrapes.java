package io.godwit.broker.metrics;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;

/**
 * Writes all meters for who asks, on a thread of its own: gauges may take locks and look at files. Whoever asks while
 * they are being written gets that answer, and an answer serves everybody for {@link #KEPT}: however often and by how
 * many it is asked, each format is written at most once in that time. Thread-safe.
 */
public final class Scrapes {
    /** For so long an answer is given again, from when it was begun. */
    public static final Duration KEPT = Duration.ofSeconds(1);

    private final PrometheusMeterRegistry registry;
    private final Executor thread;
    private final LongSupplier nanoTime;
    /** Guarded by this, for moments. */
    private final Map<ScrapeFormat, Made> made = new EnumMap<>(ScrapeFormat.class);

    private record Made(CompletableFuture<byte[]> body, long begunNanos) {}

    /**
     * @param thread runs one task at a time
     * @param nanoTime the monotonic clock
     */
    Scrapes(PrometheusMeterRegistry registry, Executor thread, LongSupplier nanoTime) {
        this.registry = registry;
        this.thread = thread;
        this.nanoTime = nanoTime;
    }

    /**
     * Writes all meters, or gives what was written lately. Never blocks; any thread.
     *
     * @return the text in {@code format}, shared by all who asked: it must not be modified. Completes on the thread of
     *     the metrics or at once; fails with {@link RejectedExecutionException} when the broker is stopping
     */
    public CompletableFuture<byte[]> scrape(ScrapeFormat format) {
        CompletableFuture<byte[]> body;
        synchronized (this) {
            Made last = made.get(format);
            if (last != null && isGood(last)) {
                return last.body.copy();
            }
            body = new CompletableFuture<>();
            made.put(format, new Made(body, nanoTime.getAsLong()));
        }
        try {
            thread.execute(() -> write(format, body));
        } catch (RejectedExecutionException e) {
            body.completeExceptionally(e);
        }
        return body.copy();
    }

    private boolean isGood(Made last) {
        if (!last.body.isDone()) {
            return true;
        }
        return !last.body.isCompletedExceptionally() && nanoTime.getAsLong() - last.begunNanos < KEPT.toNanos();
    }

    private void write(ScrapeFormat format, CompletableFuture<byte[]> body) {
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream(1 << 16);
            registry.scrape(out, format.contentType());
            body.complete(out.toByteArray());
        } catch (IOException | RuntimeException | Error e) { // the thread's outermost frame: whoever asked is told
            body.completeExceptionally(e);
        }
    }
}
