package io.godwit.api.route;

import io.godwit.api.http.Workers;
import io.godwit.api.port.MetricsSource;
import io.godwit.api.port.Scrape;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Metrics for Prometheus. Whoever asks while one scrape is made, or within half a second, gets the same: a scraper gone
 * wild costs two scrapes a second of each form. Confined to the event loop, but for the scrape itself.
 */
public final class MetricsRoutes {
    private static final long FRESH_NANOS = 500_000_000;
    private static final String OPEN_METRICS = "application/openmetrics-text";
    private static final String PLAIN = "text/plain";

    private final MetricsSource source;
    private final Workers workers;
    private final LongSupplier nanoClock;
    private final Map<String, Made> byForm = new HashMap<>();
    /** Completes when no scrape is under way: they are made one at a time. */
    private CompletableFuture<?> idle = CompletableFuture.completedFuture("");

    private record Made(CompletableFuture<Reply> reply, long begunAt) {}

    private MetricsRoutes(MetricsSource source, Workers workers, LongSupplier nanoClock) {
        this.source = source;
        this.workers = workers;
        this.nanoClock = nanoClock;
    }

    public static void add(Routes routes, MetricsSource source, Workers workers, LongSupplier nanoClock) {
        MetricsRoutes here = new MetricsRoutes(source, workers, nanoClock);
        routes.add("scrapeMetrics", here::scrape);
    }

    private CompletableFuture<Reply> scrape(Call call) {
        String form = call.accept().contains(OPEN_METRICS) ? OPEN_METRICS : PLAIN;
        long now = nanoClock.getAsLong();
        Made made = byForm.get(form);
        if (made == null || made.reply().isDone() && now - made.begunAt() >= FRESH_NANOS) {
            CompletableFuture<Reply> next =
                    idle.handle((reply, failure) -> "").thenCompose(done -> workers.supply(() -> reply(form)));
            made = new Made(next, now);
            byForm.put(form, made);
            idle = next;
        }
        return made.reply();
    }

    private Reply reply(String form) {
        Scrape scrape = source.scrape(form);
        return Reply.bytes(scrape.contentType(), scrape.text());
    }
}
