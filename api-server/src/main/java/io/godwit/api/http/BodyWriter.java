package io.godwit.api.http;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/**
 * Writes a body in pieces, each when the connection has space: a slow reader then holds one piece of a large body in
 * direct memory, not all of it. Confined to the event loop.
 */
public final class BodyWriter {
    private static final int PIECE_BYTES = 32_768;

    private final HttpServerResponse response;
    private final byte[] body;
    private final Promise<Void> done = Promise.promise();
    private int written;

    private BodyWriter(HttpServerResponse response, byte[] body) {
        this.response = response;
        this.body = body;
    }

    /** @return completes when all was written; fails when the connection closed before */
    public static Future<Void> send(HttpServerResponse response, byte[] body) {
        response.putHeader("Content-Length", Integer.toString(body.length));
        BodyWriter writer = new BodyWriter(response, body);
        response.exceptionHandler(failure -> writer.done.tryFail(failure));
        response.closeHandler(closed -> writer.done.tryFail("closed"));
        writer.writeOn();
        return writer.done.future();
    }

    private void writeOn() {
        while (body.length - written > PIECE_BYTES) {
            if (response.closed()) {
                return;
            }
            if (response.writeQueueFull()) {
                response.drainHandler(drained -> writeOn());
                return;
            }
            response.write(piece(PIECE_BYTES));
        }
        response.end(piece(body.length - written)).onComplete(result -> {
            if (result.succeeded()) {
                done.tryComplete();
            } else {
                done.tryFail(result.cause());
            }
        });
    }

    private Buffer piece(int bytes) {
        Buffer piece = Buffer.buffer(bytes).appendBytes(body, written, bytes);
        written += bytes;
        return piece;
    }
}
