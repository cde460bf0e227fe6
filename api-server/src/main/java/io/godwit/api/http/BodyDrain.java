package io.godwit.api.http;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;

/**
 * Closes a connection while an unwanted request body still arrives. First reads and discards the body for a moment:
 * closing a socket with unread data resets the connection, and the client would not see its answer.
 */
public final class BodyDrain {
    private static final long MOMENT_MILLIS = 500;
    private static final int MOST_BYTES = 1 << 20;

    private int seen;

    private BodyDrain() {}

    /** Call on the event loop, after the answer has been written. */
    public static void closeAfter(HttpServerRequest request) {
        BodyDrain drain = new BodyDrain();
        request.exceptionHandler(failure -> {});
        request.handler(piece -> {
            drain.seen += piece.length();
            if (drain.seen > MOST_BYTES) {
                request.pause();
            }
        });
        request.endHandler(end -> request.connection().close());
        request.resume();
        Context context = Vertx.currentContext();
        if (context == null) {
            throw new IllegalStateException("not on the event loop");
        }
        context.owner().setTimer(MOMENT_MILLIS, over -> request.connection().close());
    }
}
