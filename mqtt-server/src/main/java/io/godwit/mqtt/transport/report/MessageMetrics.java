package io.godwit.mqtt.transport.report;

import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.Qos;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts messages from and to clients, and measures how long they take. Any thread. */
public final class MessageMetrics {
    private final LongAdder publishesIn;
    private final LongAdder publishesOut;
    private final LongAdder payloadBytesIn;
    private final LongAdder payloadBytesOut;
    private final LongAdder retainedOut;
    private final Map<Qos, Timer> latencies = new EnumMap<>(Qos.class);

    // counters with an event
    final LongAdder acceptedPublishes;
    final LongAdder refusedPublishes;
    final LongAdder interceptedPublishes;
    final LongAdder deniedPublishes;
    final KindCounters<DropReason> drops;

    MessageMetrics(MqttCounters counters) {
        publishesIn = counters.counter("publishes.in", "PUBLISH packets that clients sent");
        publishesOut = counters.counter("publishes.out", "PUBLISH packets sent to clients");
        payloadBytesIn = counters.bytes("received.payload.bytes", "payloads of PUBLISH packets that clients sent");
        payloadBytesOut = counters.bytes("sent.payload.bytes", "payloads of PUBLISH packets sent to clients");
        retainedOut = counters.counter("publishes.out.retained", "of those sent to clients, the ones with RETAIN set");
        for (Qos qos : Qos.values()) {
            latencies.put(
                    qos,
                    Timer.builder("godwit.mqtt.latency")
                            .description("time from the arrival of a message to its hand-over to the connection of a"
                                    + " receiver, in whole milliseconds, of one of 64 copies, by the QoS of the copy;"
                                    + " retained and repeated ones are left out, and those that came before their"
                                    + " client")
                            .tag("qos", Integer.toString(qos.value()))
                            .register(counters.registry()));
        }
        acceptedPublishes = counters.counter("publishes.accepted", "publishes of clients that were taken in");
        refusedPublishes = counters.counter("publishes.refused", "publishes that were not taken in, or not wholly");
        interceptedPublishes = counters.counter("publishes.intercepted", "publishes that interceptors dropped");
        deniedPublishes = counters.counter("publishes.denied", "publishes denied by the auth provider");
        drops = counters.byKind(
                "messages.dropped", "messages that a live session does not get", "reason", DropReason.class);
    }

    void publishIn(int payloadBytes) {
        publishesIn.increment();
        payloadBytesIn.add(payloadBytes);
    }

    void publishOut(int payloadBytes) {
        publishesOut.increment();
        payloadBytesOut.add(payloadBytes);
    }

    /** A copy was sent with RETAIN set. */
    public void retainedOut() {
        retainedOut.increment();
    }

    /** Records the time from a message's arrival to sending a copy. */
    public void sentAfter(Qos qos, long millis) {
        Objects.requireNonNull(latencies.get(qos)).record(millis, TimeUnit.MILLISECONDS);
    }
}
