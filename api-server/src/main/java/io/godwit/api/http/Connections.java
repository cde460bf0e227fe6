package io.godwit.api.http;

import io.godwit.api.port.ApiCounts;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open connections, each with the time by which something must have happened: a head must be complete, a request
 * must be answered and the answer read. Who sends or reads a byte now and then does not move it. Confined to the event
 * loop.
 */
public final class Connections {
    /** For who reads, to see the end of what was sent. */
    private static final Duration MOMENT = Duration.ofSeconds(1);

    private final Limits limits;
    private final AcceptGate gate;
    private final ApiCounts counts;
    private final LongSupplier nanoClock;
    private final IdentityHashMap<HttpConnection, State> open = new IdentityHashMap<>();
    /** How many of these count as whose. */
    private final Map<String, Integer> owned = new HashMap<>();

    /** What is known of a connection. */
    public static final class State {
        private long deadline;
        private int requests;
        /** Whose token was sent, when the connection counts as that one's; null before. */
        private @Nullable String owner;
        /** It was told to close, which waits for what is not written; what comes or goes meanwhile moves nothing. */
        private boolean isClosing;

        private @Nullable CompletableFuture<Boolean> trusted;

        private void until(long nanos) {
            if (!isClosing) {
                deadline = nanos;
            }
        }

        /** Whether the process at the other end is trusted, once somebody has asked; null before. */
        public @Nullable CompletableFuture<Boolean> trusted() {
            return trusted;
        }

        public void trusted(CompletableFuture<Boolean> answer) {
            trusted = answer;
        }
    }

    /** @param gate that lets connections in */
    public Connections(Limits limits, AcceptGate gate, ApiCounts counts, LongSupplier nanoClock) {
        this.counts = counts;
        this.limits = limits;
        this.gate = gate;
        this.nanoClock = nanoClock;
    }

    public void opened(HttpConnection connection) {
        State state = new State();
        state.until(after(limits.headTimeout()));
        open.put(connection, state);
        connection.closeHandler(closed -> forget(connection));
    }

    private void forget(HttpConnection connection) {
        State state = open.remove(connection);
        if (state != null && state.owner != null) {
            owned.computeIfPresent(state.owner, (owner, count) -> count == 1 ? null : count - 1);
        }
    }

    /** A head has come. */
    public State requestBegan(HttpConnection connection) {
        State state = open.computeIfAbsent(connection, unknown -> new State());
        state.requests++;
        state.until(after(limits.wholeRequest()));
        return state;
    }

    /**
     * Somebody who may use the API has this connection, so that no other gets its place. Half of all places are kept
     * for one caller at most; further connections of that one are as those of strangers.
     *
     * @param caller whose token or certificate it is
     */
    public void known(HttpServerRequest request, State state, String caller) {
        int before = owned.getOrDefault(caller, 0);
        if (state.owner == null && before < Math.max(1, limits.maxConnections() / 2)) {
            state.owner = caller;
            owned.put(caller, before + 1);
            gate.known(Callers.socket(request), Callers.local(request));
        }
    }

    /** A part of an answer that takes as long as it takes has been written: the next one has this time. */
    void progress(HttpConnection connection, Duration next) {
        State state = open.get(connection);
        if (state != null) {
            state.until(after(next));
        }
    }

    /** The answer goes on for so long at most: who writes it looks after the time that reading takes. */
    public void streams(HttpConnection connection, Duration longest) {
        State state = open.get(connection);
        if (state != null) {
            state.until(after(longest.plus(limits.wholeRequest())));
        }
    }

    /** The answer has been written. */
    public void requestEnded(HttpConnection connection) {
        State state = open.get(connection);
        if (state != null && --state.requests == 0) {
            state.until(after(limits.idleTimeout()));
        }
    }

    /** The time of this connection is over, whatever it had. */
    public void expire(HttpConnection connection) {
        State state = open.get(connection);
        if (state != null) {
            state.until(nanoClock.getAsLong());
        }
    }

    /** Closes those whose time is over; a moment later those too whose other end reads nothing. */
    public void closeLate() {
        long now = nanoClock.getAsLong();
        List<HttpConnection> late = new ArrayList<>();
        open.forEach((connection, state) -> {
            if (now - state.deadline >= 0) {
                late.add(connection);
            }
        });
        late.forEach(connection -> {
            State state = open.get(connection);
            if (state == null) {
                return; // it closed meanwhile
            }
            if (state.isClosing) {
                forget(connection);
                gate.end(Callers.socket(connection.remoteAddress()), Callers.socket(connection.localAddress()));
            } else {
                counts.connectionClosed(ApiCounts.Cause.LATE);
                state.until(after(MOMENT));
                state.isClosing = true;
                connection.close();
            }
        });
    }

    private long after(Duration time) {
        return nanoClock.getAsLong() + time.toNanos();
    }
}
