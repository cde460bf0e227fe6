package io.godwit.perf.load;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.mqtt.MqttClient;
import io.vertx.mqtt.MqttClientOptions;
import java.time.Duration;

/** One client and its connection. Confined to its event loop. */
class Connection {
    /**
     * Shorter than what {@link LoadRun} waits for anything to go on: one client that gets no answer does not end the
     * run of all.
     */
    private static final Duration MOST_UNTIL_CONNACK = Duration.ofSeconds(25);

    private final Vertx vertx;
    final LoopCounters counters;
    final MqttClient client;
    final String clientId;
    final Endpoint broker;
    /** Of being ready for its part, which the end of the connection also decides. */
    private final Promise<Void> ready = Promise.promise();

    private Runnable lost = () -> {};
    private boolean isOpen;
    private boolean isClosing;
    private boolean isCounted;
    /** When opening it began; by {@link Time#nowNanos}. */
    long openedNanos;

    /** @param index among the clients of its role */
    Connection(
            Vertx vertx,
            RunContext run,
            LoopCounters counters,
            String clientId,
            LoadLoop.Role role,
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
        // else a subscriber does it, see DelayedAcks; nobody else is sent anything
        options.setAutoAck(run.settings().ackDelay().isZero());
        client = MqttClient.create(vertx, options);
    }

    /** Completes on the event loop when the client is ready for its part; what fails is counted as well. */
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
                    if (ready.future().isComplete()) { // too late: it was given up
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
     * {@code lost} is called on the event loop when the connection ends after it was ready, unless it is closed from
     * here. To be called before it is opened.
     */
    final void whenLost(Runnable lost) {
        this.lost = lost;
    }

    /** Sets handlers before the connection is there. */
    void prepare() {}

    /** What follows the CONNACK. */
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
