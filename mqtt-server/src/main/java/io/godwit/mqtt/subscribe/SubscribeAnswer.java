package io.godwit.mqtt.subscribe;

import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.trace.Tracer;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.event.DisconnectCause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * The answer to one SUBSCRIBE, or to an operator who acts for the client. It is sent once the codes of all filters are
 * known; then the retained messages follow. Confined to the loop of its subscriber.
 */
final class SubscribeAnswer {
    private final SubscribingSession subscriber;
    private final int weight;
    private final Told told;
    private final List<Subscription> asked;
    private final MqttReports reports;
    private final Codes codes;
    private final Queue<Runnable> replays = new ArrayDeque<>(1);

    /** Receives the codes. */
    interface Told {
        /** @return whether the client stays connected */
        boolean tell(List<ReasonCode> codes);
    }

    /**
     * @param asked its filters, in the client's or the broker's form
     * @param weight of these, see {@link SubscribingSession#asked}
     */
    SubscribeAnswer(
            SubscribingSession subscriber, List<Subscription> asked, int weight, MqttReports reports, Told told) {
        this.asked = asked;
        this.reports = reports;
        this.weight = weight;
        this.subscriber = subscriber;
        this.told = told;
        this.codes = new Codes(asked.size());
    }

    /** @param replays sends the retained messages of these filters; not run before SUBACK is sent */
    void part(int first, List<ReasonCode> part, Runnable replays) {
        this.replays.add(replays);
        if (codes.put(first, part) && told.tell(codes.all())) {
            reports.subscribed(subscriber.client(), asked, codes.all());
            trace();
            subscriber.answered(weight);
            replay();
        }
    }

    private void trace() {
        Tracer tracer = reports.tracing().active();
        if (tracer != null) {
            for (int i = 0; i < asked.size(); i++) {
                tracer.subscribed(
                        subscriber.client(), asked.get(i).filter(), codes.all().get(i));
            }
        }
    }

    /**
     * Sends SUBACK. In MQTT 3.1 it can only grant, so it grants even unauthorized filters (MQTT 3.1, 3.8), without any
     * deliveries. Any other refusal ends the connection, since a SUBACK would be a promise.
     *
     * @return whether it was sent
     */
    static boolean send(SubscribingSession subscriber, Subscribe packet, List<ReasonCode> codes) {
        List<ReasonCode> told = codes;
        if (subscriber.client().protocolLevel() == ProtocolLevel.MQTT_3_1) {
            told = new ArrayList<>(codes);
            for (int i = 0; i < told.size(); i++) {
                ReasonCode code = told.get(i);
                if (code.isError() && code != ReasonCode.NOT_AUTHORIZED) {
                    subscriber
                            .connection()
                            .disconnect(
                                    code,
                                    DisconnectCause.REQUEST_REFUSED,
                                    "a filter is refused, and a SUBACK of MQTT 3.1 cannot say so: " + code);
                    return false;
                }
                if (code.isError()) {
                    told.set(i, ReasonCode.granted(packet.subscriptions().get(i).qos()));
                }
            }
        }
        subscriber.connection().send(new SubAck(packet.packetId(), told));
        return true;
    }

    /** Sends the retained messages of one part in each turn, since each of thousands of filters requests messages. */
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
