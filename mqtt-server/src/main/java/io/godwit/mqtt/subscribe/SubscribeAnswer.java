package io.godwit.mqtt.subscribe;

import io.godwit.mqtt.packet.ProtocolLevel;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.transport.MqttMetrics;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * The answer to one SUBSCRIBE: SUBACK once the codes of all its filters are known, then the retained messages. Confined
 * to the loop of its subscriber.
 */
final class SubscribeAnswer {
    private final Subscriber subscriber;
    private final Subscribe packet;
    private final int weight;
    private final MqttMetrics metrics;
    private final Codes codes;
    private final Queue<Runnable> replays = new ArrayDeque<>(1);

    /** @param weight of its filters, see {@link Subscriber#asked} */
    SubscribeAnswer(Subscriber subscriber, Subscribe packet, int weight, MqttMetrics metrics) {
        this.metrics = metrics;
        this.weight = weight;
        this.subscriber = subscriber;
        this.packet = packet;
        this.codes = new Codes(packet.subscriptions().size());
    }

    /** @param replays sends the retained messages of these filters; not run before SUBACK is sent */
    void part(int first, List<ReasonCode> part, Runnable replays) {
        this.replays.add(replays);
        if (codes.put(first, part) && send()) {
            subscriber.answered(weight);
            replay();
        }
    }

    /**
     * Sends SUBACK. That of MQTT 3.1 knows granted levels only: it must grant what is not authorised, too (MQTT 3.1,
     * 3.8), though nothing will come. Whatever else is refused ends the connection, since a SUBACK would be a promise.
     *
     * @return whether it was sent
     */
    private boolean send() {
        List<ReasonCode> told = codes.all();
        if (subscriber.client().protocolLevel() == ProtocolLevel.MQTT_3_1) {
            told = new ArrayList<>(codes.all());
            for (int i = 0; i < told.size(); i++) {
                ReasonCode code = told.get(i);
                if (code.isError() && code != ReasonCode.NOT_AUTHORIZED) {
                    subscriber
                            .connection()
                            .disconnect(code, "a filter is refused, which MQTT 3.1 can not be told: " + code);
                    return false;
                }
                if (code.isError()) {
                    told.set(
                            i,
                            SubscribeHandler.granted(
                                    packet.subscriptions().get(i).qos()));
                }
            }
        }
        subscriber.connection().send(new SubAck(packet.packetId(), told));
        metrics.subscribed(codes.all());
        return true;
    }

    /** Those of one part in each turn, since each of thousands of filters asks for its messages. */
    private void replay() {
        Runnable next = replays.poll();
        if (next == null) {
            return;
        }
        next.run();
        if (!replays.isEmpty()) {
            subscriber.connection().loop().afterChannels(() -> {
                if (subscriber.connection().isOpen()) {
                    replay();
                }
            });
        }
    }
}
