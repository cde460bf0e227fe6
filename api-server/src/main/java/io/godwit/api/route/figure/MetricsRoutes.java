package io.godwit.api.route.figure;

import io.godwit.api.http.Workers;
import io.godwit.api.port.figure.MetricsSource;
import io.godwit.api.port.figure.Scrape;
import io.godwit.api.port.figure.ScrapeFormat;
import io.godwit.api.route.Call;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Metrics for Prometheus. Requests during a scrape, or within a second of its beginning, share its result: a runaway
 * scraper costs one scrape a second of each format. Confined to the event loop, except for the scrape itself.
 */
public final class MetricsRoutes {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final MetricsSource source;
    private final Workers workers;
    private final LongSupplier nanoClock;
    private final Map<ScrapeFormat, Made> byFormat = new EnumMap<>(ScrapeFormat.class);
    /** Completes when no scrape is under way: scrapes run one at a time. */
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
        ScrapeFormat format = ScrapeFormat.accepted(call.accept());
        long now = nanoClock.getAsLong();
        Made made = byFormat.get(format);
        if (made == null || made.reply().isDone() && now - made.begunAt() >= FRESH_NANOS) {
            CompletableFuture<Reply> next =
                    idle.handle((reply, failure) -> "").thenCompose(done -> workers.supply(() -> reply(format)));
            made = new Made(next, now);
            byFormat.put(format, made);
            idle = next;
        }
        return made.reply();
    }

    private Reply reply(ScrapeFormat format) {
        Scrape scrape = source.scrape(format);
        return Reply.bytes(scrape.contentType(), scrape.text());
    }
}
