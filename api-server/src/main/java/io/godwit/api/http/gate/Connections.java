package io.godwit.api.http.gate;

import io.godwit.api.port.ApiCounts;
import io.godwit.api.port.access.LocalCallers.Peer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open connections, each with a deadline: for a complete head, for the answer, and for reading the answer. Sending
 * or reading a byte now and then does not extend it. Confined to the event loop.
 */
public final class Connections {
    /** Time for the peer to read the end of the data that was sent. */
    private static final Duration MOMENT = Duration.ofSeconds(1);

    private final HttpLimits limits;
    private final AcceptGate gate;
    private final ApiCounts counts;
    private final LongSupplier nanoClock;
    private final IdentityHashMap<HttpConnection, State> open = new IdentityHashMap<>();

    /** The state of a connection. */
    public static final class State {
        private long deadline;
        private int requests;
        /** Whether a close was requested; it waits for unwritten data. From then on nothing extends the deadline. */
        private boolean isClosing;

        private @Nullable CompletableFuture<Peer> peer;

        private void until(long nanos) {
            if (!isClosing) {
                deadline = nanos;
            }
        }

        /** Who is at the other end; null until somebody asks. */
        public @Nullable CompletableFuture<Peer> peer() {
            return peer;
        }

        public void peer(CompletableFuture<Peer> answer) {
            peer = answer;
        }
    }

    /** @param gate the gate that accepts connections */
    public Connections(HttpLimits limits, AcceptGate gate, ApiCounts counts, LongSupplier nanoClock) {
        this.counts = counts;
        this.limits = limits;
        this.gate = gate;
        this.nanoClock = nanoClock;
    }

    public void opened(HttpConnection connection) {
        State state = new State();
        state.until(after(limits.headTimeout()));
        open.put(connection, state);
        connection.closeHandler(closed -> open.remove(connection));
    }

    /** A request head has arrived. */
    public State requestBegan(HttpConnection connection) {
        State state = open.computeIfAbsent(connection, unknown -> new State());
        state.requests++;
        state.until(after(limits.wholeRequest()));
        return state;
    }

    /**
     * An authorized caller uses this connection, so no other connection may take its place, as long as the caller has
     * not too many of them.
     *
     * @param caller name of its token or certificate, or the one share of its tenant
     */
    public void known(HttpServerRequest request, String caller) {
        gate.known(Callers.socket(request), Callers.local(request), caller);
    }

    /** A part of a long answer has been written; the next part has this time. */
    public void progress(HttpConnection connection, Duration next) {
        State state = open.get(connection);
        if (state != null) {
            state.until(after(next));
        }
    }

    /** The answer is a stream of at most this length. The writer itself checks that the client reads. */
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

    /** Ends this connection's time now. */
    public void expire(HttpConnection connection) {
        State state = open.get(connection);
        if (state != null) {
            state.until(nanoClock.getAsLong());
        }
    }

    /** Closes connections past their deadline; if the peer reads nothing for a moment after that, cuts them off. */
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
                open.remove(connection);
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
