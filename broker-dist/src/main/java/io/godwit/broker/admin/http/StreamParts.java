package io.godwit.broker.admin.http;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The body of an endless answer, for one reading thread. It requests one chunk at a time, so that a slow reader slows
 * the sender down.
 */
final class StreamParts implements BodySubscriber<StreamParts> {
    /** A chunk, or the end with its cause. */
    private record Part(
            List<ByteBuffer> bytes, boolean isEnd, @Nullable Throwable failure) {}

    private final BlockingQueue<Part> parts = new LinkedBlockingQueue<>();
    private final CompletableFuture<Flow.Subscription> begun = new CompletableFuture<>();

    @Override
    public CompletionStage<StreamParts> getBody() {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        begun.complete(subscription);
        subscription.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> bytes) {
        parts.add(new Part(bytes, false, null));
    }

    @Override
    public void onError(Throwable failure) {
        parts.add(new Part(List.of(), true, failure));
    }

    @Override
    public void onComplete() {
        parts.add(new Part(List.of(), true, null));
    }

    /**
     * The next chunk; null at the end.
     *
     * @throws IOException when nothing arrived in that time, or the connection broke
     */
    @Nullable
    List<ByteBuffer> next(Duration within) throws IOException, InterruptedException {
        Part part = parts.poll(within.toMillis(), TimeUnit.MILLISECONDS);
        if (part == null) {
            throw new IOException("nothing came in " + within.toSeconds() + " s");
        }
        if (part.failure() != null) {
            throw new IOException(String.valueOf(part.failure().getMessage()), part.failure());
        }
        if (part.isEnd()) {
            return null;
        }
        Flow.Subscription subscription = begun.getNow(null);
        if (subscription != null) {
            subscription.request(1);
        }
        return part.bytes();
    }

    /** Ends the connection. */
    void cancel() {
        Flow.Subscription subscription = begun.getNow(null);
        if (subscription != null) {
            subscription.cancel();
        }
    }
}
