package io.godwit.perf.load.client;

import io.godwit.perf.load.measure.Histograms;
import io.godwit.perf.load.measure.Time;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.mqtt.MqttClient;
import io.vertx.mqtt.MqttClientOptions;
import java.time.Duration;

/** A client and its connection. Confined to its event loop. */
class Connection {
    /**
     * Shorter than the time that {@code LoadRun} waits for progress, so that a client that gets no answer does not end
     * the whole run.
     */
    private static final Duration MOST_UNTIL_CONNACK = Duration.ofSeconds(25);

    private final Vertx vertx;
    final LoopCounters counters;
    final MqttClient client;
    final String clientId;
    final Endpoint broker;
    /**
     * Completed when the client is ready for its part; failed if it could not connect or its connection ended before.
     */
    private final Promise<Void> ready = Promise.promise();

    private Runnable lost = () -> {};
    private boolean isOpen;
    private boolean isClosing;
    private boolean isCounted;
    /** When it began to open, as {@link Time#nowNanos}. */
    long openedNanos;

    /** @param index among the clients of its role */
    Connection(
            Vertx vertx,
            RunContext run,
            LoopCounters counters,
            String clientId,
            ClientRole role,
            int index,
            boolean isCleanSession) {
        this.vertx = vertx;
        this.counters = counters;
        this.clientId = clientId;
        broker = run.clients().brokerOf(role, index);
        MqttClientOptions options = run.clients()
                .options(
                        clientId,
                        index,
                        isCleanSession,
                        run.scenario().payloadBytes(),
                        run.settings().window());
        // else DelayedAcks does it for subscribers; other clients receive no messages
        options.setAutoAck(run.settings().ackDelay().isZero());
        client = MqttClient.create(vertx, options);
    }

    /**
     * Connects; the future completes on the event loop when the client is ready for its part. A failure is counted as
     * well.
     */
    final Future<Void> open() {
        openedNanos = Time.nowNanos();
        client.exceptionHandler(thrown -> counters.errors.add("connection", thrown));
        client.closeHandler(closed -> onClosed());
        prepare();
        long timer = vertx.setTimer(
                MOST_UNTIL_CONNACK.toMillis(),
                none -> ready.tryFail("no CONNACK in %d s".formatted(MOST_UNTIL_CONNACK.toSeconds())));
        client.connect(broker.port(), broker.host())
                .compose(connack -> {
                    vertx.cancelTimer(timer);
                    isOpen = true;
                    if (ready.future().isComplete()) { // too late: the attempt has timed out
                        return close();
                    }
                    long micros = Histograms.micros(Time.nowNanos() - openedNanos);
                    counters.connect.recordValue(micros);
                    counters.connectNow.recordValue(micros);
                    return begin();
                })
                .onComplete(opened -> {
                    vertx.cancelTimer(timer);
                    if (opened.succeeded()) {
                        ready.tryComplete();
                    } else {
                        ready.tryFail(opened.cause());
                    }
                });
        return ready.future()
                .onSuccess(opened -> {
                    isCounted = true;
                    counters.connected.increment();
                })
                .onFailure(cause -> {
                    counters.connectFailed.increment();
                    counters.errors.add("connect", cause);
                });
    }

    /**
     * Has {@code lost} called on the event loop if the connection ends after the client was ready, unless {@link
     * #close} ends it. To be called before {@link #open}.
     */
    final void whenLost(Runnable lost) {
        this.lost = lost;
    }

    /** Called before connecting, to set handlers. */
    void prepare() {}

    /** Called after the CONNACK; the client is ready when the future completes. */
    Future<Void> begin() {
        return Future.succeededFuture();
    }

    private void onClosed() {
        isOpen = false;
        ready.tryFail("the broker closed the connection before the client was ready");
        if (isCounted) {
            isCounted = false;
            counters.disconnected.increment();
            if (!isClosing) {
                counters.errors.add("the broker closed a connection");
                lost.run();
            }
        }
    }

    final boolean isOpen() {
        return isOpen;
    }

    final Future<Void> close() {
        isClosing = true;
        return isOpen ? client.disconnect() : Future.succeededFuture();
    }
}
