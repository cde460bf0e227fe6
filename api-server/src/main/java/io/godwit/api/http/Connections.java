package io.godwit.api.http;

import io.godwit.api.port.ApiCounts;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open connections, each with the time by which something must have happened: a head must be complete, a request
 * must be answered and the answer read. Who sends or reads a byte now and then does not move it. Confined to the event
 * loop.
 */
public final class Connections {
    private final Limits limits;
    private final Consumer<SocketAddress> known;
    private final ApiCounts counts;
    private final LongSupplier nanoClock;
    private final IdentityHashMap<HttpConnection, State> open = new IdentityHashMap<>();

    /** What is known of a connection. */
    public static final class State {
        private long deadline;
        private int requests;
        private boolean isKnown;
        private @Nullable CompletableFuture<Boolean> trusted;

        /** Whether the process at the other end is trusted, once somebody has asked; null before. */
        public @Nullable CompletableFuture<Boolean> trusted() {
            return trusted;
        }

        public void trusted(CompletableFuture<Boolean> answer) {
            trusted = answer;
        }
    }

    /** @param known is told the other ends of connections on which a valid token has come */
    public Connections(Limits limits, Consumer<SocketAddress> known, ApiCounts counts, LongSupplier nanoClock) {
        this.counts = counts;
        this.limits = limits;
        this.known = known;
        this.nanoClock = nanoClock;
    }

    public void opened(HttpConnection connection) {
        State state = new State();
        state.deadline = after(limits.headTimeout());
        open.put(connection, state);
        connection.closeHandler(closed -> open.remove(connection));
    }

    /** A head has come. */
    public State requestBegan(HttpConnection connection) {
        State state = open.computeIfAbsent(connection, unknown -> new State());
        state.requests++;
        state.deadline = after(limits.wholeRequest());
        return state;
    }

    /** Somebody who may use the API has this connection. */
    public void known(HttpServerRequest request, State state) {
        if (!state.isKnown) {
            state.isKnown = true;
            known.accept(Callers.socket(request));
        }
    }

    /** A part of an answer that takes as long as it takes has been written: the next one has this time. */
    void progress(HttpConnection connection, Duration next) {
        State state = open.get(connection);
        if (state != null) {
            state.deadline = after(next);
        }
    }

    /** The answer goes on for so long at most: who writes it looks after the time that reading takes. */
    public void streams(HttpConnection connection, Duration longest) {
        State state = open.get(connection);
        if (state != null) {
            state.deadline = after(longest.plus(limits.wholeRequest()));
        }
    }

    /** The answer has been written. */
    public void requestEnded(HttpConnection connection) {
        State state = open.get(connection);
        if (state != null && --state.requests == 0) {
            state.deadline = after(limits.idleTimeout());
        }
    }

    /** Closes those whose time is over. */
    public void closeLate() {
        long now = nanoClock.getAsLong();
        List<HttpConnection> late = new ArrayList<>();
        open.forEach((connection, state) -> {
            if (now - state.deadline >= 0) {
                late.add(connection);
            }
        });
        late.forEach(connection -> {
            counts.connectionClosed(ApiCounts.Cause.LATE);
            open.remove(connection); // a close that waits for its peer is asked for once
            connection.close();
        });
    }

    private long after(Duration time) {
        return nanoClock.getAsLong() + time.toNanos();
    }
}
