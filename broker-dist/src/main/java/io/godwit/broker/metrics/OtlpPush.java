package io.godwit.broker.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pushes all meters to a collector at an interval, by OTLP over HTTP, on a thread of its own. One push at a time; each
 * ends within the timeout. Failures are counted, and logged once in ten minutes. A failed push is not repeated, since
 * the next one has newer values.
 *
 * <p>Created while the broker starts; {@link #close} takes half a second at most.
 */
public final class OtlpPush implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OtlpPush.class);
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long CLOSE_MILLIS = 500;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /**
     * The target of pushes.
     *
     * @param timeout from the begin of a push to the end of its answer
     * @param headers name and value
     * @param resource attributes of the node, by name
     * @param version of the broker
     * @param tls null for the authorities of the JVM
     */
    public record Target(
            URI url,
            Duration interval,
            Duration timeout,
            List<Map.Entry<String, String>> headers,
            Map<String, String> resource,
            String version,
            @Nullable SSLContext tls) {
        /** Without the headers, which are secret. */
        @Override
        public String toString() {
            return "OTLP " + url;
        }
    }

    private final BrokerMeters meters;
    private final Target target;
    private final LongSupplier nanoTime;
    private final HttpClient http;
    private final LongAdder accepted = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final ScheduledExecutorService thread;
    /** Failures that were not logged. Confined to the thread, like the next field. */
    private long untold;

    private long toldNanos;

    public OtlpPush(BrokerMeters meters, Target target) {
        this(meters, target, System::nanoTime);
    }

    /** @param nanoTime the monotonic clock */
    OtlpPush(BrokerMeters meters, Target target, LongSupplier nanoTime) {
        this.meters = meters;
        this.target = target;
        this.nanoTime = nanoTime;
        this.toldNanos = nanoTime.getAsLong() - QUIET_NANOS;
        HttpClient.Builder client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY)
                .connectTimeout(target.timeout());
        if (target.tls() != null) {
            client.sslContext(target.tls());
        }
        this.http = client.build();
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread made = new Thread(task, "otlp-push");
            made.setDaemon(true);
            return made;
        });
        counter("accepted", accepted);
        counter("failed", failed);
    }

    private void counter(String outcome, LongAdder count) {
        FunctionCounter.builder("godwit.otlp.pushes", count, LongAdder::doubleValue)
                .description("pushes of all meters to the collector, by what became of them")
                .tag("outcome", outcome)
                .register(meters.registry());
    }

    /** Pushes at once, and then after each interval. */
    @SuppressWarnings("FutureReturnValueIgnored") // push() throws nothing
    public void start() {
        thread.scheduleWithFixedDelay(this::push, 0, target.interval().toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Pushes once on the calling thread; returns when the push has ended or the thread was interrupted. */
    void push() {
        CompletableFuture<HttpResponse<Void>> answer = null;
        try {
            // this timeout includes the body; the client's own covers only the head
            answer = http.sendAsync(request(), head -> BodySubscribers.discarding());
            int status = answer.get(target.timeout().toMillis(), TimeUnit.MILLISECONDS)
                    .statusCode();
            if (status / 100 == 2) {
                accepted.increment();
            } else {
                failed("it answers with status " + status);
            }
        } catch (TimeoutException e) {
            failed("no answer within " + target.timeout().toSeconds() + " seconds");
        } catch (ExecutionException e) {
            failed(String.valueOf(e.getCause()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the broker stops
        } catch (RuntimeException | Error e) { // thrown by a meter, perhaps of a plugin; must not end the schedule
            failed(e.toString());
        } finally {
            if (answer != null) {
                answer.cancel(true); // closes the connection if the push has not ended
            }
        }
    }

    private HttpRequest request() {
        long startNanos = ManagementFactory.getRuntimeMXBean().getStartTime() * NANOS_PER_MILLI;
        byte[] body = OtlpRequest.of(
                        meters.snapshots(),
                        target.resource(),
                        target.version(),
                        startNanos,
                        System.currentTimeMillis() * NANOS_PER_MILLI)
                .toByteArray();
        HttpRequest.Builder request = HttpRequest.newBuilder(target.url())
                .header("Content-Type", "application/x-protobuf")
                .header("Content-Encoding", "gzip")
                .POST(HttpRequest.BodyPublishers.ofByteArray(packed(body)));
        target.headers().forEach(header -> request.header(header.getKey(), header.getValue()));
        return request.build();
    }

    private static byte[] packed(byte[] body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length / 8);
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes what is written to it", e);
        }
        return out.toByteArray();
    }

    private void failed(String why) {
        failed.increment();
        untold++;
        long now = nanoTime.getAsLong();
        if (now - toldNanos >= QUIET_NANOS) {
            LOG.warn("meters not pushed url={} failures={} cause={}", target.url(), untold, why);
            toldNanos = now;
            untold = 0;
        }
    }

    /** Aborts a push under way. */
    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.warn("the push of meters has not ended yet url={}", target.url());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
