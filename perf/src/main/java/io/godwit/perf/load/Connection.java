package io.godwit.perf.load;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.mqtt.MqttClient;
import io.vertx.mqtt.MqttClientOptions;

/** One client and its connection. Confined to its event loop. */
class Connection {
    final LoopCounters counters;
    final MqttClient client;
    final String clientId;
    final Endpoint broker;
    private boolean isOpen;
    private boolean isClosing;
    private boolean isCounted;
    /** When opening it began; by {@link Time#nowNanos}. */
    long openedNanos;

    Connection(Vertx vertx, RunContext run, LoopCounters counters, String clientId, int index, boolean isCleanSession) {
        this.counters = counters;
        this.clientId = clientId;
        broker = run.clients().brokerOf(index);
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
        return client.connect(broker.port(), broker.host())
                .compose(connack -> {
                    isOpen = true;
                    long micros = Histograms.micros(Time.nowNanos() - openedNanos);
                    counters.connect.recordValue(micros);
                    counters.connectNow.recordValue(micros);
                    return begin();
                })
                .onSuccess(ready -> {
                    isCounted = true;
                    counters.connected.increment();
                })
                .onFailure(cause -> {
                    counters.connectFailed.increment();
                    counters.errors.add("connect", cause);
                });
    }

    /** Sets handlers before the connection is there. */
    void prepare() {}

    /** What follows the CONNACK. */
    Future<Void> begin() {
        return Future.succeededFuture();
    }

    private void onClosed() {
        isOpen = false;
        if (isCounted) {
            isCounted = false;
            counters.disconnected.increment();
            if (!isClosing) {
                counters.errors.add("the broker closed a connection");
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
