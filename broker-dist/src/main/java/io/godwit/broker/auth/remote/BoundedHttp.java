package io.godwit.broker.auth.remote;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Calls HTTP services. Time and size of a whole answer are bounded; redirects are not followed. Thread-safe; calls
 * return at once. Uses HTTP/1.1, which every service understands.
 */
public final class BoundedHttp implements AutoCloseable {
    private static final int THREADS = 2;

    private final ExecutorService threads;
    private final HttpClient client;

    /** @param status the HTTP status, such as 200 */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Answer(int status, byte[] body) {}

    /**
     * @param name the prefix of thread names
     * @param tls null for the JVM's default
     */
    public BoundedHttp(String name, @Nullable SSLContext tls, Duration connectTimeout) {
        AtomicInteger number = new AtomicInteger(); // several threads may create workers
        threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(connectTimeout)
                .executor(threads);
        client = (tls == null ? builder : builder.sslContext(tls)).build();
    }

    /**
     * Sends a request. The future fails with {@link IOException} or {@link java.util.concurrent.TimeoutException}; it
     * completes on a thread of this object or on the JDK's timer thread.
     *
     * @param timeout until the end of the answer
     * @param maxBytes bound of the body
     */
    public CompletableFuture<Answer> send(HttpRequest request, Duration timeout, int maxBytes) {
        CompletableFuture<HttpResponse<byte[]>> sent;
        try {
            sent = client.sendAsync(request, head -> new BoundedBody(maxBytes));
        } catch (RuntimeException e) { // the client is closed
            return CompletableFuture.failedFuture(e);
        }
        CompletableFuture<Answer> answer =
                sent.thenApply(response -> new Answer(response.statusCode(), response.body()));
        return answer.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS).whenComplete((done, failure) -> {
            if (failure != null) {
                sent.cancel(true); // otherwise a slow answer keeps its connection
            }
        });
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    /** Collects a body up to a size. Called by one thread at a time. */
    private static final class BoundedBody implements HttpResponse.BodySubscriber<byte[]> {
        private final int maxBytes;
        private final CompletableFuture<byte[]> body = new CompletableFuture<>();
        private final List<ByteBuffer> parts = new ArrayList<>();
        private long bytes;
        private Flow.@Nullable Subscription subscription;

        BoundedBody(int maxBytes) {
            this.maxBytes = maxBytes;
        }

        @Override
        public CompletionStage<byte[]> getBody() {
            return body;
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            given.request(1);
        }

        @Override
        public void onNext(List<ByteBuffer> items) {
            Flow.Subscription from = subscription;
            if (body.isDone() || from == null) {
                return;
            }
            for (ByteBuffer item : items) {
                bytes += item.remaining();
                parts.add(item);
            }
            if (bytes > maxBytes) {
                parts.clear();
                from.cancel();
                body.completeExceptionally(new IOException("the answer is larger than " + maxBytes + " bytes"));
                return;
            }
            from.request(1);
        }

        @Override
        public void onError(Throwable failure) {
            parts.clear();
            body.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            ByteBuffer whole = ByteBuffer.allocate((int) bytes);
            parts.forEach(whole::put);
            body.complete(whole.array());
        }
    }
}
