package io.godwit.mqtt.transport.report;

import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.event.BanCause;
import io.godwit.plugin.event.ConnectProgress;
import io.godwit.plugin.event.ConnectionLimit;
import io.micrometer.core.instrument.Gauge;
import java.util.concurrent.atomic.LongAdder;

/** Counts connections and what becomes of them: refusals, logins, their end. Any thread. */
public final class ConnectMetrics {
    private static final String AUTHENTICATIONS = "CONNECTs whose clients were to prove who they are";
    private static final String REDIRECTS = "clients that may connect and were told to use another server";

    private final LongAdder sockets = new LongAdder();
    private final LongAdder openedSockets;
    private final LongAdder connectsIn;
    private final LongAdder authentications;
    private final LongAdder anonymousAuthentications;

    // counters with an event
    final LongAdder connectsTimedOut;
    final LongAdder connects;
    final LongAdder disconnects;
    final LongAdder refusedConnects;
    final LongAdder redirectsForNow;
    final LongAdder redirectsForGood;
    final LongAdder protocolErrors;
    final LongAdder authFailures;
    final KindCounters<RefusalReason> deniedConnects;
    final KindCounters<ConnectionLimit> refusedConnections;
    final KindCounters<ConnectProgress> abandonedConnects;
    final KindCounters<BanCause> bans;

    ConnectMetrics(MqttCounters counters) {
        Gauge.builder("godwit.mqtt.sockets", sockets, LongAdder::sum)
                .description("open connections of clients, before CONNECT too")
                .register(counters.registry());
        openedSockets = counters.counter("sockets.opened", "connections that were accepted");
        connectsIn = counters.counter("connects.in", "CONNECT packets that clients sent");
        authentications = counters.tagged("authentications", AUTHENTICATIONS, "anonymous", "false");
        anonymousAuthentications = counters.tagged("authentications", AUTHENTICATIONS, "anonymous", "true");
        connectsTimedOut = counters.counter("connects.timed.out", "connections closed since no CONNECT came in time");
        connects = counters.counter("connects", "clients that passed CONNECT");
        disconnects = counters.counter("disconnects", "connections of such clients that ended");
        refusedConnects = counters.counter("connects.refused", "CONNECTs that were answered no");
        redirectsForNow = counters.tagged("clients.redirected", REDIRECTS, "code", "use_another_server");
        redirectsForGood = counters.tagged("clients.redirected", REDIRECTS, "code", "server_moved");
        protocolErrors = counters.counter("protocol.errors", "connections closed for an error in the protocol");
        authFailures = counters.counter("auth.failures", "questions that the auth provider failed to answer");
        deniedConnects = counters.byKind(
                "connects.denied", "CONNECTs denied by the auth provider", "reason", RefusalReason.class);
        refusedConnections = counters.byKind(
                "connections.refused",
                "connections closed or refused for a limit of their listener",
                "limit",
                ConnectionLimit.class);
        abandonedConnects = counters.byKind(
                "connects.abandoned",
                "connections that their peer ended before a CONNECT was answered",
                "progress",
                ConnectProgress.class);
        bans = counters.byKind("bans", "sources and client ids kept out for a time", "cause", BanCause.class);
    }

    /** About how many clients are connected. */
    public long connected() {
        return Math.max(0, connects.sum() - disconnects.sum());
    }

    public void socketOpened() {
        sockets.increment();
        openedSockets.increment();
    }

    public void socketClosed() {
        sockets.decrement();
    }

    public void connectIn() {
        connectsIn.increment();
    }

    /** A client authenticates; {@code isAnonymous} when it gives no name. */
    public void authenticated(boolean isAnonymous) {
        (isAnonymous ? anonymousAuthentications : authentications).increment();
    }
}
