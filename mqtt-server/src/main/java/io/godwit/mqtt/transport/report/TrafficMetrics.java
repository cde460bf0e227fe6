package io.godwit.mqtt.transport.report;

import io.godwit.plugin.event.ThrottleCause;
import java.util.concurrent.atomic.LongAdder;

/** Counts what passes over connections, and what holds it up. Any thread. */
public final class TrafficMetrics {
    private final LongAdder packetsIn;
    private final LongAdder packetsOut;
    private final LongAdder bytesIn;
    private final LongAdder bytesOut;
    private final LongAdder ignoredPackets;
    private final LongAdder ignoredBytes;
    private final LongAdder turnsOver;
    private final KindCounters<ThrottleCause> pauses;

    // counters with an event
    final LongAdder abandonedPackets;
    final KindCounters<ThrottleCause> begunThrottlings;
    final KindCounters<ThrottleCause> endedThrottlings;

    TrafficMetrics(MqttCounters counters) {
        packetsIn = counters.counter("packets.in", "packets that clients sent");
        packetsOut = counters.counter("packets.out", "packets sent to clients");
        bytesIn = counters.bytes("received.bytes", "bytes that clients sent, as MQTT has them");
        bytesOut = counters.bytes("sent.bytes", "bytes sent to clients, as MQTT has them");
        ignoredPackets =
                counters.counter("packets.ignored", "packets read before their connection was closed, without effect");
        ignoredBytes = counters.bytes("ignored.bytes", "bytes that came after their connection was closed");
        turnsOver =
                counters.counter("turns.over", "times that the rest of what a connection had sent waited for others");
        pauses = counters.byKind(
                "pauses", "times that a connection was not read for a while", "cause", ThrottleCause.class);
        abandonedPackets = counters.counter(
                "packets.abandoned", "connections cut off that sent a large packet slowly while others wait");
        begunThrottlings = counters.byKind("throttlings.begun", "connections held back", "cause", ThrottleCause.class);
        endedThrottlings =
                counters.byKind("throttlings.ended", "connections held back no more", "cause", ThrottleCause.class);
    }

    public void packetIn() {
        packetsIn.increment();
    }

    public void packetOut() {
        packetsOut.increment();
    }

    public void bytesIn(long bytes) {
        bytesIn.add(bytes);
    }

    public void bytesOut(long bytes) {
        bytesOut.add(bytes);
    }

    /** This many packets, perhaps QoS 0 publishes, were read before their connection closed, and have no effect. */
    public void packetsIgnored(int packets) {
        ignoredPackets.add(packets);
    }

    /** This many bytes arrived after their connection closed, and are ignored. */
    public void bytesIgnored(long bytes) {
        ignoredBytes.add(bytes);
    }

    /** A connection's packets take long to handle: the rest waits for others. */
    public void turnOver() {
        turnsOver.increment();
    }

    /** A connection pauses; a throttled connection does so repeatedly. */
    public void paused(ThrottleCause cause) {
        pauses.increment(cause);
    }
}
