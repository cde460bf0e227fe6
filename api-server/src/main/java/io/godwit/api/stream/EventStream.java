package io.godwit.api.stream;

import io.godwit.api.port.WatchFeed;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.Json;
import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One answer in server-sent events: takes from a feed what there is and writes it while the client reads. What the
 * client does not read stays in the feed, which is bounded; who reads nothing for too long is cut off. Confined to the
 * event loop.
 */
final class EventStream {
    private static final Logger LOG = LoggerFactory.getLogger(EventStream.class);
    /** Of one write. */
    private static final int PIECE_CHARS = 16_384;
    /** Bytes that may wait for the socket. */
    private static final int WRITE_QUEUE_BYTES = 65_536;
    /** Pieces in a turn of the event loop, which serves all other requests too. */
    private static final int PIECES_A_TURN = 4;

    private static final String END = "end";
    private static final String COMMENT = ":\n\n";

    private final String caller;
    private final HttpServerResponse response;
    private final WatchFeed feed;
    private final BooleanSupplier mayGoOn;
    private final StreamReply.ItemCheck check;
    private final StreamBounds bounds;
    private final LongSupplier nanoClock;
    private final Context loop;
    private final long endNanos;
    private final Runnable cut;
    private final Runnable ended;
    private long wroteNanos;
    /** Since when the socket takes nothing. */
    private @Nullable Long fullSinceNanos;

    /** Why it ends, while the end waits for the socket: the feed is closed then. */
    private @Nullable String endReason;

    private boolean isOver;
    private boolean waitsForTurn;

    /**
     * @param mayGoOn whether the caller may still see this
     * @param cut ends the connection, whether its client reads or not
     * @param ended called once, when it is over
     */
    EventStream(
            String caller,
            HttpServerResponse response,
            WatchFeed feed,
            BooleanSupplier mayGoOn,
            StreamReply.ItemCheck check,
            Duration longest,
            StreamBounds bounds,
            LongSupplier nanoClock,
            Context loop,
            Runnable cut,
            Runnable ended) {
        this.caller = caller;
        this.response = response;
        this.feed = feed;
        this.mayGoOn = mayGoOn;
        this.check = check;
        this.bounds = bounds;
        this.nanoClock = nanoClock;
        this.loop = loop;
        this.cut = cut;
        this.ended = ended;
        this.wroteNanos = nanoClock.getAsLong();
        this.endNanos = wroteNanos + longest.toNanos();
    }

    String caller() {
        return caller;
    }

    void begin() {
        response.setWriteQueueMaxSize(WRITE_QUEUE_BYTES);
        response.closeHandler(closed -> over());
        response.exceptionHandler(failure -> over());
        response.drainHandler(drained -> drained());
        response.setChunked(true);
        write(COMMENT); // the head goes out at once
        feed.onReady(() -> loop.runOnContext(ready -> soon()));
        turn();
    }

    /** Looks after what no one else calls for: losses, time that is over, clients that do not read. */
    void tick() {
        long now = nanoClock.getAsLong();
        if (isOver) {
            return;
        }
        if (endReason == null) {
            if (!mayGoOn.getAsBoolean()) {
                end("token");
            } else if (now - endNanos >= 0) {
                end("duration");
            } else if (feed.isOver()) {
                end("stopping");
            }
        }
        if (isOver) {
            return;
        }
        if (response.writeQueueFull()) {
            if (fullSinceNanos == null) {
                fullSinceNanos = now;
            } else if (now - fullSinceNanos >= bounds.slowAfter().toNanos()) {
                LOG.debug("stream cut off, its client reads nothing caller={}", caller);
                over();
                cut.run();
            }
            return;
        }
        drained();
        if (!isOver && now - wroteNanos >= bounds.heartbeat().toNanos()) {
            write(COMMENT);
        }
    }

    /** The client has read: it is not slow, and there is room for more or for the end. */
    private void drained() {
        fullSinceNanos = null;
        if (isOver) {
            return;
        }
        if (endReason != null) {
            writeEnd(endReason);
        } else {
            turn();
        }
    }

    private void soon() {
        if (!waitsForTurn) {
            turn();
        }
    }

    /** Writes what there is, as far as the client reads and others of the loop can wait. */
    private void turn() {
        waitsForTurn = false;
        for (int pieces = 0; pieces < PIECES_A_TURN; pieces++) {
            if (isOver || endReason != null || response.writeQueueFull()) {
                return; // the drain or the end goes on
            }
            if (!writePiece()) {
                return;
            }
        }
        waitsForTurn = true;
        loop.runOnContext(next -> turn());
    }

    /** Whether there may be more. */
    private boolean writePiece() {
        StringBuilder piece = new StringBuilder();
        while (piece.length() < PIECE_CHARS) {
            WatchFeed.Item item = feed.next();
            if (item == null) {
                break;
            }
            if (!check.isAsDocumented(item)) {
                end("fault");
                return false;
            }
            append(piece, item.name(), item.data());
        }
        if (piece.isEmpty()) {
            return false;
        }
        write(piece.toString());
        return piece.length() >= PIECE_CHARS;
    }

    /** JSON has no line breaks but escaped ones, so that the data is one line. */
    private static void append(StringBuilder text, String name, Map<String, Object> data) {
        text.append("event: ")
                .append(name)
                .append("\ndata: ")
                .append(Json.encode(data))
                .append("\n\n");
    }

    private void write(String text) {
        wroteNanos = nanoClock.getAsLong();
        response.write(text);
    }

    /** Says why, as the last thing. A client that has not read all that was sent gets it when it has. */
    void end(String reason) {
        if (isOver || endReason != null) {
            return;
        }
        endReason = reason;
        feed.close();
        if (!response.writeQueueFull()) {
            writeEnd(reason);
        }
    }

    private void writeEnd(String reason) {
        over();
        if (!response.ended() && !response.closed()) {
            StringBuilder last = new StringBuilder();
            append(last, END, Map.of("reason", reason));
            response.end(last.toString());
        }
    }

    private void over() {
        if (!isOver) {
            isOver = true;
            feed.close();
            ended.run();
        }
    }
}
