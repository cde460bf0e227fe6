package io.godwit.mqtt.transport;

import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.event.BanCause;
import io.godwit.plugin.event.ConnectionLimit;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.MemoryKind;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.event.ThrottleCause;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * The frontend's counters. LongAdders, because every event loop counts and none may wait for another; the registry
 * reads them when it is asked. What has an event beside its counter is counted through {@link MqttReports}.
 */
public final class MqttMetrics {
    // traffic
    private final LongAdder packetsIn;
    private final LongAdder packetsOut;
    private final LongAdder publishesIn;
    private final LongAdder publishesOut;
    private final LongAdder payloadBytesIn;
    private final LongAdder payloadBytesOut;
    private final LongAdder bytesIn;
    private final LongAdder bytesOut;
    private final LongAdder ignoredPackets;
    private final LongAdder ignoredBytes;
    private final ByKind<ThrottleCause> pauses;
    private final LongAdder sockets = new LongAdder();
    private final LongAdder openedSockets;
    private final LongAdder continuedAttachments;
    private final LongAdder lostAttachments;

    // what has an event
    final LongAdder connects;
    final LongAdder disconnects;
    final LongAdder refusedConnects;
    final LongAdder createdSessions;
    final LongAdder protocolErrors;
    final LongAdder abandonedPackets;
    private final LongAdder turnsOver;
    final LongAdder movedHomesOver;
    final LongAdder lostHomesOver;
    final LongAdder refusedPublishes;
    final LongAdder begunSlowConsumers;
    final LongAdder endedSlowConsumers;
    final LongAdder delayedReplays;
    final ByKind<RefusalReason> deniedConnects;
    final LongAdder deniedPublishes;
    final LongAdder deniedSubscribes;
    final LongAdder authFailures;
    final LongAdder reloadedCertificates;
    final LongAdder rejectedCertificates;
    final LongAdder refusedSubscribes;
    final ByKind<DropReason> drops;
    final ByKind<ConnectionLimit> refusedConnections;
    final ByKind<BanCause> bans;
    final ByKind<MemoryKind> memoryShortages;
    final ByKind<MemoryKind> memoryRecoveries;
    final ByKind<ThrottleCause> begunThrottlings;
    final ByKind<ThrottleCause> endedThrottlings;

    public MqttMetrics(MeterRegistry registry) {
        packetsIn = counter(registry, "packets.in");
        packetsOut = counter(registry, "packets.out");
        publishesIn = counter(registry, "publishes.in");
        publishesOut = counter(registry, "publishes.out");
        payloadBytesIn = counter(registry, "payload.bytes.in");
        payloadBytesOut = counter(registry, "payload.bytes.out");
        bytesIn = counter(registry, "bytes.in");
        bytesOut = counter(registry, "bytes.out");
        ignoredPackets = counter(registry, "packets.ignored");
        ignoredBytes = counter(registry, "bytes.ignored");
        Gauge.builder("godwit.mqtt.sockets", sockets, LongAdder::sum).register(registry);
        openedSockets = counter(registry, "sockets.opened");
        continuedAttachments = counter(registry, "attachments.continued");
        lostAttachments = counter(registry, "attachments.lost");
        movedHomesOver = waitsOver(registry, NodeWait.HOME_MOVED);
        lostHomesOver = waitsOver(registry, NodeWait.HOME_LOST);
        connects = counter(registry, "connects");
        disconnects = counter(registry, "disconnects");
        refusedConnects = counter(registry, "connects.refused");
        createdSessions = counter(registry, "sessions.created");
        protocolErrors = counter(registry, "protocol.errors");
        abandonedPackets = counter(registry, "packets.abandoned");
        turnsOver = counter(registry, "turns.over");
        refusedPublishes = counter(registry, "publishes.refused");
        begunSlowConsumers = counter(registry, "slow.consumers.begun");
        endedSlowConsumers = counter(registry, "slow.consumers.ended");
        delayedReplays = counter(registry, "replays.delayed");
        deniedConnects = new ByKind<>(registry, "connects.denied", "reason", RefusalReason.class);
        deniedPublishes = counter(registry, "publishes.denied");
        deniedSubscribes = counter(registry, "subscribes.denied");
        authFailures = counter(registry, "auth.failures");
        reloadedCertificates = counter(registry, "certificates.reloaded");
        rejectedCertificates = counter(registry, "certificates.rejected");
        refusedSubscribes = counter(registry, "subscribes.refused");
        drops = new ByKind<>(registry, "messages.dropped", "reason", DropReason.class);
        refusedConnections = new ByKind<>(registry, "connections.refused", "limit", ConnectionLimit.class);
        bans = new ByKind<>(registry, "bans", "cause", BanCause.class);
        memoryShortages = new ByKind<>(registry, "memory.shortages", "kind", MemoryKind.class);
        memoryRecoveries = new ByKind<>(registry, "memory.recoveries", "kind", MemoryKind.class);
        pauses = new ByKind<>(registry, "pauses", "cause", ThrottleCause.class);
        begunThrottlings = new ByKind<>(registry, "throttlings.begun", "cause", ThrottleCause.class);
        endedThrottlings = new ByKind<>(registry, "throttlings.ended", "cause", ThrottleCause.class);
    }

    private static LongAdder counter(MeterRegistry registry, String name, String... tags) {
        LongAdder adder = new LongAdder();
        FunctionCounter.builder("godwit.mqtt." + name, adder, LongAdder::sum)
                .tags(tags)
                .register(registry);
        return adder;
    }

    /** Other parts of the broker count other waits under the same name. */
    private static LongAdder waitsOver(MeterRegistry registry, NodeWait wait) {
        LongAdder adder = new LongAdder();
        FunctionCounter.builder("godwit.waits.over", adder, LongAdder::sum)
                .description("waits for other nodes that ran out")
                .tag("wait", wait.name().toLowerCase(Locale.ROOT))
                .register(registry);
        return adder;
    }

    void packetIn() {
        packetsIn.increment();
    }

    void packetOut() {
        packetsOut.increment();
    }

    public void publishIn(int payloadBytes) {
        publishesIn.increment();
        payloadBytesIn.add(payloadBytes);
    }

    public void publishOut(int payloadBytes) {
        publishesOut.increment();
        payloadBytesOut.add(payloadBytes);
    }

    /** What a connection has sent takes long to handle: the rest of it waits for others. */
    void turnOver() {
        turnsOver.increment();
    }

    /** A connection pauses, which one that is throttled does again and again. */
    void paused(ThrottleCause cause) {
        pauses.increment(cause);
    }

    void socketOpened() {
        sockets.increment();
        openedSockets.increment();
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

    /**
     * So many packets, a publish of QoS 0 perhaps, had been read when their connection was closed, and have no effect.
     */
    public void packetsIgnored(int packets) {
        ignoredPackets.add(packets);
    }

    /** So many bytes came after their connection was closed, and are not looked at. */
    void bytesIgnored(long bytes) {
        ignoredBytes.add(bytes);
    }

    /** The leader of a connected session's inbox was replaced, and the connection goes on at the next one. */
    public void attachmentContinued() {
        continuedAttachments.increment();
    }

    /** It could not: the connection is closed. */
    public void attachmentLost() {
        lostAttachments.increment();
    }

    /** A counter for each constant of {@code K}, told apart by a tag. */
    static final class ByKind<K extends Enum<K>> {
        private final Map<K, LongAdder> adders;

        private ByKind(MeterRegistry registry, String name, String tag, Class<K> kinds) {
            adders = new EnumMap<>(kinds);
            for (K kind : kinds.getEnumConstants()) {
                adders.put(kind, counter(registry, name, tag, kind.name().toLowerCase(Locale.ROOT)));
            }
        }

        void increment(K kind) {
            Objects.requireNonNull(adders.get(kind)).increment();
        }
    }
}
