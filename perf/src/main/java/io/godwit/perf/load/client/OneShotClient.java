package io.godwit.perf.load.client;

import io.godwit.perf.load.measure.Histograms;
import io.godwit.perf.load.measure.Time;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

/**
 * A client that connects, publishes a few messages one after the other, and then does nothing. Confined to its event
 * loop.
 */
final class OneShotClient extends Connection {
    private final RunContext run;
    private final int index;
    private final MqttQoS qos;
    private Promise<Void> acknowledged = Promise.promise();

    OneShotClient(Vertx vertx, RunContext run, LoopCounters counters, int index) {
        super(vertx, run, counters, run.clientId("c", index), ClientRole.ONE_SHOT, index, true);
        this.run = run;
        this.index = index;
        qos = MqttQoS.valueOf(run.scenario().qos());
    }

    @Override
    void prepare() {
        client.publishCompletionHandler(packetId -> {
            counters.acknowledged.increment();
            acknowledged.tryComplete();
        });
    }

    @Override
    Future<Void> begin() {
        return publish(0).compose(last -> {
            long nanos = Time.nowNanos() - openedNanos;
            counters.clientRuntime.recordValue(Histograms.micros(nanos));
            counters.clientRates += run.scenario().messagesEach() * 1e9 / nanos;
            return fence();
        });
    }

    private Future<Void> publish(int sequence) {
        if (sequence >= run.scenario().messagesEach()) {
            return Future.succeededFuture();
        }
        long begunNanos = Time.nowNanos();
        Buffer payload =
                run.header().payload(run.scenario().payloadBytes(), Time.toEpochNanos(begunNanos), index, sequence);
        acknowledged = Promise.promise();
        counters.sent.increment();
        Future<Void> done = client.publish(run.topic(index), payload, qos, false, false)
                .compose(packetId -> qos == MqttQoS.AT_MOST_ONCE ? Future.succeededFuture() : acknowledged.future());
        return done.compose(none -> {
            counters.messageTime.recordValue(Histograms.micros(Time.nowNanos() - begunNanos));
            return publish(sequence + 1);
        });
    }

    /** Waits for the answer to a ping, by which the broker shows that it has read the messages before it. */
    private Future<Void> fence() {
        Promise<Void> answered = Promise.promise();
        client.pingResponseHandler(pong -> {
            if (answered.tryComplete()) {
                counters.finished.increment();
            }
        });
        client.ping();
        return answered.future();
    }
}
