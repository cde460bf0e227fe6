package io.godwit.broker.admin.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Collects an answer up to a size, and ends the connection if it is larger. The HTTP client calls it from one thread at
 * a time.
 */
final class BoundedBody implements BodySubscriber<byte[]> {
    private final int mostBytes;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;

    BoundedBody(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Fails with an {@link IOException} if the answer is larger. */
    @Override
    public CompletionStage<byte[]> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        if (subscription != null) {
            given.cancel();
            return;
        }
        subscription = given;
        given.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (body.isDone()) {
            return;
        }
        for (ByteBuffer buffer : buffers) {
            if (buffer.remaining() > mostBytes - received.size()) {
                received.reset();
                body.completeExceptionally(new TooLargeException(mostBytes));
                Flow.Subscription given = subscription;
                if (given != null) {
                    given.cancel();
                }
                return;
            }
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            received.writeBytes(bytes);
        }
    }

    @Override
    public void onError(Throwable failure) {
        body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        body.complete(received.toByteArray());
    }

    /** The answer is larger than any of an API. */
    static final class TooLargeException extends IOException {
        private static final long serialVersionUID = 1;

        TooLargeException(int mostBytes) {
            super("has answered more than " + (mostBytes >> 20) + " MiB, which is not read");
        }
    }
}
