package io.godwit.api.route.figure;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.http.Workers;
import io.godwit.api.port.figure.Scrape;
import io.godwit.api.port.figure.ScrapeFormat;
import io.godwit.api.route.Call;
import io.godwit.api.route.Handler;
import io.godwit.api.route.Reply;
import io.godwit.api.route.Routes;
import io.godwit.testing.Await;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Frequent and concurrent requests cost one scrape. */
class MetricsRoutesTest {
    private static final String OPEN_METRICS = "application/openmetrics-text";

    private final Workers workers = new Workers();
    private final AtomicLong nanos = new AtomicLong(1_000);
    /** How often all was written. */
    private final AtomicInteger written = new AtomicInteger();

    private final CountDownLatch held = new CountDownLatch(1);

    @AfterEach
    void close() {
        held.countDown();
        workers.close();
    }

    private Handler handler(boolean waits) {
        Routes routes = new Routes();
        MetricsRoutes.add(
                routes,
                format -> {
                    written.incrementAndGet();
                    if (waits) {
                        await();
                    }
                    return new Scrape(format.contentType(), new byte[0]);
                },
                workers,
                nanos::get);
        return routes.handlers().get("scrapeMetrics");
    }

    private void await() {
        try {
            assertThat(held.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Call call(String accept) {
        return new Call(
                Optional.empty(),
                true,
                new JsonObject(),
                new JsonObject(),
                accept,
                Optional.empty(),
                "",
                Duration.ofSeconds(1));
    }

    private static Reply get(CompletableFuture<Reply> asked) throws Exception {
        return asked.get(30, TimeUnit.SECONDS);
    }

    @Test
    void twoScrapesAtTheSameTimeDoTheWorkOnce() throws Exception {
        Handler handler = handler(true);
        CompletableFuture<Reply> first = handler.answer(call(""));
        Await.until("being written", () -> written.get() == 1);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(5)); // however long it takes
        CompletableFuture<Reply> second = handler.answer(call("*/*"));
        held.countDown();
        assertThat(get(second)).isSameAs(get(first));
        assertThat(written).hasValue(1);
    }

    @Test
    void aScrapeEvery100MillisecondsCostsOneASecond() throws Exception {
        Handler handler = handler(false);
        for (int i = 0; i < 100; i++) {
            get(handler.answer(call("")));
            nanos.addAndGet(100_000_000);
        }
        assertThat(written).hasValue(10);
    }

    @Test
    void eachFormatIsWrittenForItself() throws Exception {
        Handler handler = handler(false);
        assertThat(get(handler.answer(call(OPEN_METRICS + ";q=0.5, text/plain")))
                        .contentType())
                .isEqualTo(ScrapeFormat.TEXT.contentType());
        assertThat(get(handler.answer(call(OPEN_METRICS))).contentType())
                .isEqualTo(ScrapeFormat.OPEN_METRICS.contentType());
        get(handler.answer(call("")));
        get(handler.answer(call(OPEN_METRICS)));
        assertThat(written).hasValue(2);
    }
}
