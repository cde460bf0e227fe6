package io.godwit.api.stream;

import io.godwit.api.port.watch.WatchFeed;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.Json;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One answer of server-sent events: takes items from a feed and writes them while the client reads. Unread items stay
 * in the feed, which is bounded; a client that reads nothing for too long is cut off. Confined to the event loop.
 */
final class EventStream {
    private static final Logger LOG = LoggerFactory.getLogger(EventStream.class);
    /** Characters of one write, about. */
    private static final int PIECE_CHARS = 16_384;
    /** Bytes that may wait for the socket. */
    private static final int WRITE_QUEUE_BYTES = 65_536;
    /** Pieces written in one task of the event loop, which serves all other requests too. */
    private static final int PIECES_A_TURN = 4;

    private static final String END = "end";
    private static final String COMMENT = ":\n\n";

    private final StreamCaller caller;
    private final HttpServerResponse response;
    private final WatchFeed feed;
    private final StreamReply.ItemCheck check;
    private final StreamBounds bounds;
    private final LongSupplier nanoClock;
    private final Context loop;
    private final long endNanos;
    private final Runnable ended;
    private long wroteNanos;
    /** Since when the socket accepts no data; null while it does. */
    private @Nullable Long fullSinceNanos;

    /** Why the stream ends, while the last event waits for the socket; the feed is then closed. */
    private @Nullable String endReason;

    private boolean isOver;
    private boolean waitsForTurn;

    /**
     * Opens the source of the reply.
     *
     * @param ended called once, when the stream is over
     */
    EventStream(
            StreamCaller caller,
            HttpServerResponse response,
            StreamReply reply,
            StreamReply.ItemCheck check,
            StreamBounds bounds,
            LongSupplier nanoClock,
            Context loop,
            Runnable ended) {
        this.caller = caller;
        this.response = response;
        this.feed = reply.source().open();
        this.check = check;
        this.bounds = bounds;
        this.nanoClock = nanoClock;
        this.loop = loop;
        this.ended = ended;
        this.wroteNanos = nanoClock.getAsLong();
        this.endNanos = wroteNanos + reply.longest().toNanos();
    }

    /** What its caller shares with others. */
    String share() {
        return caller.share();
    }

    void begin() {
        response.setWriteQueueMaxSize(WRITE_QUEUE_BYTES);
        response.closeHandler(closed -> over());
        response.exceptionHandler(failure -> over());
        response.drainHandler(drained -> drained());
        response.setChunked(true);
        write(COMMENT); // sends the head at once
        feed.onReady(() -> loop.runOnContext(ready -> soon()));
        turn();
    }

    /** Periodic work that no event triggers: losses, deadlines, clients that do not read. */
    void tick() {
        long now = nanoClock.getAsLong();
        if (isOver) {
            return;
        }
        if (endReason == null) {
            if (!caller.mayGoOn().getAsBoolean()) {
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
                LOG.debug("stream cut off, its client reads nothing caller={}", caller.share());
                over();
                caller.cut().run();
            }
            return;
        }
        drained();
        if (!isOver && now - wroteNanos >= bounds.heartbeat().toNanos()) {
            write(COMMENT);
        }
    }

    /** The client has read: it is not slow, and there is space for more items or for the last event. */
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

    /** Writes the available items, within the client's pace and the loop's share. */
    private void turn() {
        waitsForTurn = false;
        for (int pieces = 0; pieces < PIECES_A_TURN; pieces++) {
            if (isOver || endReason != null || response.writeQueueFull()) {
                return; // continued by drained(), or the stream has ended
            }
            if (!writePiece()) {
                return;
            }
        }
        waitsForTurn = true;
        loop.runOnContext(next -> turn());
    }

    /** Whether there may be more items. */
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

    /** JSON escapes line breaks, so the data is one line. */
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

    /**
     * Ends the stream; its last event gives the reason. A client that has not read everything gets that event once it
     * has.
     */
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
