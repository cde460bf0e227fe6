package io.godwit.api.http;

import io.godwit.api.http.gate.Connections;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a {@link BodyStream} in chunks, at the receiver's pace: a thread writes, the event loop sends, and at most
 * {@link #PIECES} pieces are between them. After an incomplete body the connection closes without the last chunk, so
 * that the receiver notices.
 */
public final class StreamWriter {
    private static final Logger LOG = LoggerFactory.getLogger(StreamWriter.class);
    private static final int PIECE_BYTES = 65_536;
    private static final int PIECES = 4;
    private static final int LEAST_BYTES_PER_SECOND = 16_384;
    private static final double NANOS = 1e9;

    private final Context loop;
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final BodyStream stream;
    private final Connections connections;
    private final Duration patience;
    private final BooleanSupplier mayGoOn;
    /** When {@link #mayGoOn} was last called; confined to the event loop. */
    private long askedAtNanos = System.nanoTime();
    /** Pieces that may still be handed to the event loop. */
    private final Semaphore room = new Semaphore(PIECES);

    private volatile boolean isGone;

    private StreamWriter(
            Vertx vertx,
            HttpServerRequest request,
            BodyStream stream,
            Connections connections,
            Duration patience,
            BooleanSupplier mayGoOn) {
        this.loop = vertx.getOrCreateContext();
        this.request = request;
        this.response = request.response();
        this.stream = stream;
        this.connections = connections;
        this.patience = patience;
        this.mayGoOn = mayGoOn;
    }

    /**
     * Call on the event loop, before the head is written.
     *
     * @param threads produce the body
     * @param patience how long the receiver may take for a piece, and the stream to make one
     * @param mayGoOn whether the receiver is still authorized, asked once a second on the event loop: its token may
     *     be removed meanwhile
     */
    public static void send(
            Vertx vertx,
            HttpServerRequest request,
            BodyStream stream,
            Connections connections,
            Duration patience,
            Workers threads,
            BooleanSupplier mayGoOn) {
        StreamWriter writer = new StreamWriter(vertx, request, stream, connections, patience, mayGoOn);
        HttpServerResponse response = writer.response;
        response.setChunked(true);
        response.exceptionHandler(failure -> writer.gone());
        response.closeHandler(closed -> writer.gone());
        connections.progress(request.connection(), patience);
        CompletableFuture<Boolean> written = threads.supply(writer::write);
        written.whenComplete(
                (isWhole, failure) -> writer.loop.runOnContext(now -> writer.end(failure == null && isWhole)));
    }

    private void gone() {
        isGone = true;
        stream.close();
        room.release();
    }

    /**
     * Whether the receiver reads less than {@link #LEAST_BYTES_PER_SECOND}: it occupies one of a few threads, and could
     * do so for days. Checked only after {@code patience}.
     *
     * @param waitedNanos time spent waiting for the receiver, in all
     */
    static boolean isTooSlow(long bytes, long waitedNanos, Duration patience) {
        return waitedNanos > patience.toNanos() && bytes / (waitedNanos / NANOS) < LEAST_BYTES_PER_SECOND;
    }

    /** Whether the whole body was handed to the event loop. Called on a thread that may wait. */
    private boolean write() {
        try (Pieces out = new Pieces()) {
            stream.writeTo(out);
            out.flush();
            return true;
        } catch (IOException e) {
            LOG.info("answer not finished path={} cause={}", request.path(), e.toString());
            return false;
        } finally {
            stream.close();
        }
    }

    private void end(boolean isWhole) {
        if (isGone || response.ended() || response.closed()) {
            stream.close();
        } else if (isWhole) {
            response.end();
        } else {
            stream.close();
            request.connection().close(); // without the last chunk
        }
    }

    /** The output for the stream. Confined to the stream's thread. */
    private final class Pieces extends OutputStream {
        private Buffer piece = Buffer.buffer(PIECE_BYTES);
        private long bytes;
        private long waitedNanos;

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            int from = offset;
            int left = length;
            while (left > 0) {
                int part = Math.min(left, PIECE_BYTES - piece.length());
                piece.appendBytes(bytes, from, part);
                from += part;
                left -= part;
                if (piece.length() == PIECE_BYTES) {
                    flush();
                }
            }
        }

        @Override
        public void flush() throws IOException {
            if (piece.length() == 0) {
                return;
            }
            long begun = System.nanoTime();
            try {
                if (!room.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new IOException("the receiver has stopped reading");
                }
                waitedNanos += System.nanoTime() - begun;
                if (isTooSlow(bytes, waitedNanos, patience)) {
                    throw new IOException("the receiver reads less than " + LEAST_BYTES_PER_SECOND + " bytes a second");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("the node stops", e);
            }
            if (isGone) {
                throw new IOException("the receiver has gone");
            }
            Buffer full = piece;
            bytes += full.length();
            piece = Buffer.buffer(PIECE_BYTES);
            loop.runOnContext(now -> send(full));
        }

        private void send(Buffer full) {
            if (isGone || response.ended() || response.closed()) {
                gone();
                return;
            }
            long now = System.nanoTime();
            if (now - askedAtNanos >= NANOS) {
                askedAtNanos = now;
                if (!mayGoOn.getAsBoolean()) {
                    LOG.info("answer not finished, its token is not valid any more path={}", request.path());
                    gone();
                    // without the last chunk, whether the receiver reads or not
                    connections.expire(request.connection());
                    return;
                }
            }
            response.write(full).onComplete(sent -> {
                if (sent.succeeded()) {
                    connections.progress(request.connection(), patience);
                    room.release();
                } else {
                    gone();
                }
            });
        }
    }
}
