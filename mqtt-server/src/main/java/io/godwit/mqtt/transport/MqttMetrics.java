package io.godwit.mqtt.transport;

import io.godwit.plugin.event.ConnectionLimit;
import io.godwit.plugin.event.DropReason;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The frontend's counters. LongAdders, because every event loop counts and none may wait for another; the registry reads them when it is
 * asked.
 */
public final class MqttMetrics {
    private final LongAdder connects = new LongAdder();
    private final LongAdder disconnects = new LongAdder();
    private final LongAdder refusedConnects = new LongAdder();
    private final LongAdder protocolErrors = new LongAdder();
    private final LongAdder packetsIn = new LongAdder();
    private final LongAdder packetsOut = new LongAdder();
    private final LongAdder publishesIn = new LongAdder();
    private final LongAdder publishesOut = new LongAdder();
    private final LongAdder refusedPublishes = new LongAdder();
    private final LongAdder delayedReplays = new LongAdder();
    private final LongAdder deniedConnects = new LongAdder();
    private final LongAdder deniedPublishes = new LongAdder();
    private final LongAdder deniedSubscribes = new LongAdder();
    private final LongAdder authFailures = new LongAdder();
    private final LongAdder bytesIn = new LongAdder();
    private final LongAdder bytesOut = new LongAdder();
    private final LongAdder sockets = new LongAdder();
    private final Map<DropReason, LongAdder> drops = new EnumMap<>(DropReason.class);
    private final Map<ConnectionLimit, LongAdder> refusedConnections = new EnumMap<>(ConnectionLimit.class);

    public MqttMetrics(MeterRegistry registry) {
        counter(registry, "godwit.mqtt.connects", connects);
        counter(registry, "godwit.mqtt.disconnects", disconnects);
        counter(registry, "godwit.mqtt.connects.refused", refusedConnects);
        counter(registry, "godwit.mqtt.protocol.errors", protocolErrors);
        counter(registry, "godwit.mqtt.packets.in", packetsIn);
        counter(registry, "godwit.mqtt.packets.out", packetsOut);
        counter(registry, "godwit.mqtt.publishes.in", publishesIn);
        counter(registry, "godwit.mqtt.publishes.out", publishesOut);
        counter(registry, "godwit.mqtt.publishes.refused", refusedPublishes);
        counter(registry, "godwit.mqtt.replays.delayed", delayedReplays);
        counter(registry, "godwit.mqtt.connects.denied", deniedConnects);
        counter(registry, "godwit.mqtt.publishes.denied", deniedPublishes);
        counter(registry, "godwit.mqtt.subscribes.denied", deniedSubscribes);
        counter(registry, "godwit.mqtt.auth.failures", authFailures);
        counter(registry, "godwit.mqtt.bytes.in", bytesIn);
        counter(registry, "godwit.mqtt.bytes.out", bytesOut);
        Gauge.builder("godwit.mqtt.sockets", sockets, LongAdder::sum).register(registry);
        for (DropReason reason : DropReason.values()) {
            LongAdder adder = new LongAdder();
            drops.put(reason, adder);
            FunctionCounter.builder("godwit.mqtt.messages.dropped", adder, LongAdder::sum)
                    .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        for (ConnectionLimit limit : ConnectionLimit.values()) {
            LongAdder adder = new LongAdder();
            refusedConnections.put(limit, adder);
            FunctionCounter.builder("godwit.mqtt.connections.refused", adder, LongAdder::sum)
                    .tag("limit", limit.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
    }

    private static void counter(MeterRegistry registry, String name, LongAdder adder) {
        FunctionCounter.builder(name, adder, LongAdder::sum).register(registry);
    }

    public void connected() {
        connects.increment();
    }

    public void disconnected() {
        disconnects.increment();
    }

    public void connectRefused() {
        refusedConnects.increment();
    }

    public void protocolError() {
        protocolErrors.increment();
    }

    void packetIn() {
        packetsIn.increment();
    }

    void packetOut() {
        packetsOut.increment();
    }

    public void publishIn() {
        publishesIn.increment();
    }

    public void publishOut() {
        publishesOut.increment();
    }

    public void publishRefused() {
        refusedPublishes.increment();
    }

    public void replayDelayed() {
        delayedReplays.increment();
    }

    public void connectDenied() {
        deniedConnects.increment();
    }

    public void publishDenied() {
        deniedPublishes.increment();
    }

    public void subscribeDenied() {
        deniedSubscribes.increment();
    }

    public void authFailed() {
        authFailures.increment();
    }

    public void dropped(DropReason reason) {
        LongAdder adder = drops.get(reason);
        if (adder != null) {
            adder.increment();
        }
    }

    void connectionRefused(ConnectionLimit limit) {
        LongAdder adder = refusedConnections.get(limit);
        if (adder != null) {
            adder.increment();
        }
    }

    void socketOpened() {
        sockets.increment();
    }

    void socketClosed() {
        sockets.decrement();
    }

    void bytesIn(long bytes) {
        bytesIn.add(bytes);
    }

    void bytesOut(long bytes) {
        bytesOut.add(bytes);
    }
}
