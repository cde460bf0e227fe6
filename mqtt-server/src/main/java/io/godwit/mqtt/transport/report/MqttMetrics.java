package io.godwit.mqtt.transport.report;

import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.plugin.auth.RefusalReason;
import io.godwit.plugin.event.BanCause;
import io.godwit.plugin.event.ConnectProgress;
import io.godwit.plugin.event.ConnectionLimit;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.MemoryKind;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.event.ThrottleCause;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.throttle.TenantResource;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The frontend's counters. LongAdders, because every event loop counts and none may wait for another; the registry
 * reads them on demand. Counters with an event are updated through {@link MqttReports}.
 */
public final class MqttMetrics {
    private static final String AUTHENTICATIONS = "CONNECTs whose clients were to prove who they are";
    private static final String REDIRECTS = "clients that may connect and were told to use another server";

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
    private final LongAdder retainedOut;
    private final LongAdder connectsIn;
    private final LongAdder connectsTimedOut;
    private final LongAdder authentications;
    private final LongAdder anonymousAuthentications;
    private final LongAdder filtersAsked;
    private final LongAdder filtersGranted;
    private final LongAdder filtersRemoved;
    private final LongAdder continuedAttachments;
    private final Map<Qos, Timer> latencies = new EnumMap<>(Qos.class);
    private final LongAdder lostAttachments;

    private final MeterRegistry registry;
    /** Set once, before it is read. */
    private volatile LongSupplier acknowledgedOut = () -> 0;

    // counters with an event
    final LongAdder connects;
    final LongAdder disconnects;
    final LongAdder refusedConnects;
    final LongAdder redirectsForNow;
    final LongAdder redirectsForGood;
    final LongAdder createdSessions;
    final LongAdder resumedSessions;
    final LongAdder protocolErrors;
    final LongAdder abandonedPackets;
    private final LongAdder turnsOver;
    final LongAdder movedHomesOver;
    final LongAdder lostHomesOver;
    final LongAdder acceptedPublishes;
    final LongAdder refusedPublishes;
    final LongAdder interceptedPublishes;
    final LongAdder begunSlowConsumers;
    final LongAdder endedSlowConsumers;
    final LongAdder delayedReplays;
    final LongAdder limitedReplays;
    final ByKind<RefusalReason> deniedConnects;
    final LongAdder deniedPublishes;
    final LongAdder deniedSubscribes;
    final LongAdder authFailures;
    final LongAdder reloadedCertificates;
    final LongAdder rejectedCertificates;
    final LongAdder refusedSubscribes;
    final ByKind<DropReason> drops;
    final ByKind<ConnectionLimit> refusedConnections;
    final ByKind<ConnectProgress> abandonedConnects;
    final ByKind<BanCause> bans;
    final ByKind<MemoryKind> memoryShortages;
    final ByKind<MemoryKind> memoryRecoveries;
    final ByKind<ThrottleCause> begunThrottlings;
    final ByKind<ThrottleCause> endedThrottlings;
    final ByKind<TenantResource> tenantRefusals;

    public MqttMetrics(MeterRegistry registry) {
        this.registry = registry;
        packetsIn = counter(registry, "packets.in", "packets that clients sent");
        packetsOut = counter(registry, "packets.out", "packets sent to clients");
        publishesIn = counter(registry, "publishes.in", "PUBLISH packets that clients sent");
        publishesOut = counter(registry, "publishes.out", "PUBLISH packets sent to clients");
        payloadBytesIn = bytes(registry, "received.payload.bytes", "payloads of PUBLISH packets that clients sent");
        payloadBytesOut = bytes(registry, "sent.payload.bytes", "payloads of PUBLISH packets sent to clients");
        bytesIn = bytes(registry, "received.bytes", "bytes that clients sent, as MQTT has them");
        bytesOut = bytes(registry, "sent.bytes", "bytes sent to clients, as MQTT has them");
        ignoredPackets =
                counter(registry, "packets.ignored", "packets read before their connection was closed, without effect");
        ignoredBytes = bytes(registry, "ignored.bytes", "bytes that came after their connection was closed");
        Gauge.builder("godwit.mqtt.sockets", sockets, LongAdder::sum)
                .description("open connections of clients, before CONNECT too")
                .register(registry);
        for (Qos qos : Qos.values()) {
            latencies.put(
                    qos,
                    Timer.builder("godwit.mqtt.latency")
                            .description("time from the arrival of a message to its hand-over to the connection of a"
                                    + " receiver, in whole milliseconds, of one of 64 copies, by the QoS of the copy;"
                                    + " retained and repeated ones are left out, and those that came before their"
                                    + " client")
                            .tag("qos", Integer.toString(qos.value()))
                            .register(registry));
        }
        openedSockets = counter(registry, "sockets.opened", "connections that were accepted");
        continuedAttachments = counter(
                registry, "attachments.continued", "connections that went on with the next leader of their inbox");
        lostAttachments =
                counter(registry, "attachments.lost", "connections closed since no leader of their inbox was found");
        movedHomesOver = waitsOver(registry, NodeWait.HOME_MOVED);
        lostHomesOver = waitsOver(registry, NodeWait.HOME_LOST);
        connects = counter(registry, "connects", "clients that passed CONNECT");
        disconnects = counter(registry, "disconnects", "connections of such clients that ended");
        refusedConnects = counter(registry, "connects.refused", "CONNECTs that were answered no");
        redirectsForNow = counter(registry, "clients.redirected", REDIRECTS, null, "code", "use_another_server");
        redirectsForGood = counter(registry, "clients.redirected", REDIRECTS, null, "code", "server_moved");
        retainedOut = counter(registry, "publishes.out.retained", "of those sent to clients, the ones with RETAIN set");
        connectsIn = counter(registry, "connects.in", "CONNECT packets that clients sent");
        connectsTimedOut = counter(registry, "connects.timed.out", "connections closed since no CONNECT came in time");
        authentications = counter(registry, "authentications", AUTHENTICATIONS, null, "anonymous", "false");
        anonymousAuthentications = counter(registry, "authentications", AUTHENTICATIONS, null, "anonymous", "true");
        filtersAsked = counter(registry, "filters.asked", "filters in SUBSCRIBE packets");
        filtersGranted = counter(registry, "filters.granted", "filters that were granted");
        filtersRemoved = counter(registry, "filters.removed", "subscriptions removed by UNSUBSCRIBE");
        resumedSessions = counter(registry, "sessions.resumed", "sessions from before that clients went on with");
        createdSessions = counter(registry, "sessions.begun", "sessions begun that outlive their connection");
        protocolErrors = counter(registry, "protocol.errors", "connections closed for an error in the protocol");
        abandonedPackets = counter(
                registry, "packets.abandoned", "connections cut off that sent a large packet slowly while others wait");
        turnsOver =
                counter(registry, "turns.over", "times that the rest of what a connection had sent waited for others");
        acceptedPublishes = counter(registry, "publishes.accepted", "publishes of clients that were taken in");
        refusedPublishes = counter(registry, "publishes.refused", "publishes that were not taken in, or not wholly");
        interceptedPublishes = counter(registry, "publishes.intercepted", "publishes that interceptors dropped");
        begunSlowConsumers = counter(registry, "slow.consumers.begun", "times that a client began to read too slowly");
        endedSlowConsumers = counter(registry, "slow.consumers.ended", "times that it kept up again, or went");
        delayedReplays = counter(
                registry, "replays.delayed", "retained messages of a subscription to be sent once there is room");
        limitedReplays = counter(
                registry, "replays.limited", "new subscriptions that did not get all retained messages, for a limit");
        deniedConnects = new ByKind<>(
                registry, "connects.denied", "CONNECTs denied by the auth provider", "reason", RefusalReason.class);
        deniedPublishes = counter(registry, "publishes.denied", "publishes denied by the auth provider");
        deniedSubscribes = counter(registry, "subscribes.denied", "subscriptions denied by the auth provider");
        authFailures = counter(registry, "auth.failures", "questions that the auth provider failed to answer");
        reloadedCertificates = counter(registry, "certificates.reloaded", "changed certificates taken into use");
        rejectedCertificates = counter(registry, "certificates.rejected", "changed certificates that cannot be used");
        refusedSubscribes = counter(registry, "subscribes.refused", "subscriptions refused for a limit");
        drops = new ByKind<>(
                registry, "messages.dropped", "messages that a live session does not get", "reason", DropReason.class);
        refusedConnections = new ByKind<>(
                registry,
                "connections.refused",
                "connections closed or refused for a limit of their listener",
                "limit",
                ConnectionLimit.class);
        abandonedConnects = new ByKind<>(
                registry,
                "connects.abandoned",
                "connections that their peer ended before a CONNECT was answered",
                "progress",
                ConnectProgress.class);
        bans = new ByKind<>(registry, "bans", "sources and client ids kept out for a time", "cause", BanCause.class);
        memoryShortages =
                new ByKind<>(registry, "memory.shortages", "times that memory became short", "kind", MemoryKind.class);
        memoryRecoveries = new ByKind<>(
                registry, "memory.recoveries", "times that memory was no longer short", "kind", MemoryKind.class);
        pauses = new ByKind<>(
                registry, "pauses", "times that a connection was not read for a while", "cause", ThrottleCause.class);
        begunThrottlings =
                new ByKind<>(registry, "throttlings.begun", "connections held back", "cause", ThrottleCause.class);
        endedThrottlings = new ByKind<>(
                registry, "throttlings.ended", "connections held back no more", "cause", ThrottleCause.class);
        tenantRefusals = new ByKind<>(
                registry,
                "tenant.refusals",
                "what clients were refused since their tenant uses as much of it as it may",
                "resource",
                TenantResource.class);
    }

    private static LongAdder bytes(MeterRegistry registry, String name, String description) {
        return counter(registry, name, description, BaseUnits.BYTES);
    }

    private static LongAdder counter(MeterRegistry registry, String name, String description) {
        return counter(registry, name, description, null);
    }

    private static LongAdder counter(
            MeterRegistry registry, String name, String description, @Nullable String unit, String... tags) {
        LongAdder adder = new LongAdder();
        FunctionCounter.builder("godwit.mqtt." + name, adder, LongAdder::sum)
                .description(description)
                .baseUnit(unit)
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

    /** About how many clients are connected. */
    public long connected() {
        return Math.max(0, connects.sum() - disconnects.sum());
    }

    public void packetIn() {
        packetsIn.increment();
    }

    public void packetOut() {
        packetsOut.increment();
    }

    void publishIn(int payloadBytes) {
        publishesIn.increment();
        payloadBytesIn.add(payloadBytes);
    }

    void publishOut(int payloadBytes) {
        publishesOut.increment();
        payloadBytesOut.add(payloadBytes);
    }

    /** Call once, by the owner of all sessions; the values are read on any thread. */
    public void registerSessions(
            LongSupplier inboundUnderWay,
            LongSupplier outboundUnderWay,
            LongSupplier queued,
            LongSupplier acknowledged) {
        Gauge.builder("godwit.mqtt.inflight", inboundUnderWay::getAsLong)
                .description("messages of QoS 1 and 2 under way between clients and this node: not acknowledged")
                .tag("direction", "in")
                .register(registry);
        Gauge.builder("godwit.mqtt.inflight", outboundUnderWay::getAsLong)
                .description("messages of QoS 1 and 2 under way between clients and this node: not acknowledged")
                .tag("direction", "out")
                .register(registry);
        Gauge.builder("godwit.mqtt.queued", queued::getAsLong)
                .description("messages that wait for their client in the memory of live sessions")
                .register(registry);
        acknowledgedOut = acknowledged;
        FunctionCounter.builder("godwit.mqtt.acknowledged", this, self -> self.acknowledgedOut.getAsLong())
                .description("messages of QoS 1 and 2 that clients acknowledged")
                .register(registry);
    }

    /** A copy was sent with RETAIN set. */
    public void retainedOut() {
        retainedOut.increment();
    }

    public void connectIn() {
        connectsIn.increment();
    }

    void connectTimedOut() {
        connectsTimedOut.increment();
    }

    /** A client authenticates; {@code isAnonymous} when it gives no name. */
    public void authenticated(boolean isAnonymous) {
        (isAnonymous ? anonymousAuthentications : authentications).increment();
    }

    public void filtersAsked(int filters) {
        filtersAsked.add(filters);
    }

    /** A SUBACK was sent. */
    void subscribed(List<ReasonCode> codes) {
        filtersGranted.add(codes.stream().filter(code -> !code.isError()).count());
    }

    /** An UNSUBACK was sent. */
    void unsubscribed(List<ReasonCode> codes) {
        filtersRemoved.add(
                codes.stream().filter(code -> code == ReasonCode.SUCCESS).count());
    }

    /** Records the time from a message's arrival to sending a copy. */
    public void sentAfter(Qos qos, long millis) {
        Objects.requireNonNull(latencies.get(qos)).record(millis, TimeUnit.MILLISECONDS);
    }

    /** A connection's packets take long to handle: the rest waits for others. */
    public void turnOver() {
        turnsOver.increment();
    }

    /** A connection pauses; a throttled connection does so repeatedly. */
    public void paused(ThrottleCause cause) {
        pauses.increment(cause);
    }

    public void socketOpened() {
        sockets.increment();
        openedSockets.increment();
    }

    public void socketClosed() {
        sockets.decrement();
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

    /** The leader of a connected session's inbox was replaced, and the connection continues at the next one. */
    public void attachmentContinued() {
        continuedAttachments.increment();
    }

    /** The connection could not continue at another leader and is closed. */
    public void attachmentLost() {
        lostAttachments.increment();
    }

    /** A counter for each constant of {@code K}, distinguished by a tag. */
    static final class ByKind<K extends Enum<K>> {
        private final Map<K, LongAdder> adders;

        private ByKind(MeterRegistry registry, String name, String description, String tag, Class<K> kinds) {
            adders = new EnumMap<>(kinds);
            for (K kind : kinds.getEnumConstants()) {
                String value = kind.name().toLowerCase(Locale.ROOT);
                adders.put(kind, counter(registry, name, description, null, tag, value));
            }
        }

        void increment(K kind) {
            Objects.requireNonNull(adders.get(kind)).increment();
        }
    }
}
