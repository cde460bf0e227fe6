package io.godwit.broker.effective;

import com.sun.management.OperatingSystemMXBean;
import io.godwit.broker.release.Release;
import io.godwit.broker.settings.DeniedPublish;
import io.godwit.broker.settings.OverflowPolicy;
import io.godwit.broker.settings.listener.WebSocketKeys;
import io.godwit.dist.DistConfig;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.inbox.InboxConfig;
import io.godwit.kv.KvNodeConfig;
import io.godwit.kv.member.MemberSettings;
import io.godwit.kv.raft.RaftSettings;
import io.godwit.kv.raft.log.LogSync;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.mqtt.MqttConfig;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.codec.DecodeLimits;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.topic.TopicLimits;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.mqtt.transport.config.AllowedOrigins;
import io.godwit.mqtt.transport.config.BanConfig;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.config.MemoryConfig;
import io.godwit.mqtt.transport.config.TransportConfig;
import io.godwit.mqtt.transport.tls.TlsConfig;
import io.godwit.retain.RetainConfig;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/** Makes the configuration of each part from the effective configuration. */
public final class BrokerSettings {
    private BrokerSettings() {}

    public static KvNodeConfig node(BrokerConfig config, Path data) {
        KvNodeConfig defaults = KvNodeConfig.standalone(data);
        RangeSettings range = RangeSettings.DEFAULT;
        long lowWaterBytes = config.properties().diskLowWaterBytes();
        KvNodeConfig alone = new KvNodeConfig(
                        data,
                        config.bootstrap(),
                        defaults.cacheBytes(),
                        defaults.writeBufferBytes(),
                        new RangeSettings(
                                range.maxPendingBytes(),
                                ClusterSettings.maxMessageBytes(config) - RangeSettings.MESSAGE_ROOM_BYTES,
                                config.properties().snapshotLogBytes(),
                                range.leaderWaitMillis()),
                        lowWaterBytes < 0 ? OptionalLong.empty() : OptionalLong.of(lowWaterBytes),
                        new LogSync(
                                config.properties().logSync(),
                                config.properties().metaSync()))
                .reclaimingAt(config.properties().reclaimBytesPerSecond());
        return ClusterSettings.isClustered(config)
                ? alone.in(new MemberSettings(
                        ClusterSettings.cluster(config),
                        RaftSettings.DEFAULT.sendingAt(config.properties().snapshotBytesPerSecond()),
                        Release.version(),
                        config.cluster().zone(),
                        Duration.ofSeconds(config.cluster().joinTimeoutSeconds()),
                        config.cluster().foundAlone()))
                : alone;
    }

    public static DistConfig dist(BrokerConfig config) {
        return new DistConfig(
                new SharedStrategies(
                        config.sessions().sharedSubscriptionStrategy(),
                        config.sessions().sharedGroupStrategies()),
                Duration.ofSeconds(config.cluster().waits().routeSeconds()));
    }

    public static RetainConfig retain(BrokerConfig config) {
        return new RetainConfig(Duration.ofSeconds(config.cluster().waits().retainedSeconds()));
    }

    public static InboxConfig inbox(BrokerConfig config) {
        int maxQueued = config.sessions().maxQueuedMessages();
        return new InboxConfig(
                maxQueued,
                dropsOldest(config) ? InboxConfig.DropPolicy.OLDEST : InboxConfig.DropPolicy.NEWEST,
                config.sessions().queueQos0(),
                maxQueued,
                config.sessions().maxQueuedQos0Bytes(),
                Duration.ofSeconds(config.sessions().maxExpirySeconds()),
                config.properties().inboxEarlyPush());
    }

    public static MqttConfig mqtt(BrokerConfig config) {
        return mqtt(config, TransportConfig.DEFAULTS.io());
    }

    public static MqttConfig mqtt(BrokerConfig config, TransportConfig.Io io) {
        TransportConfig transport = TransportConfig.DEFAULTS;
        return new MqttConfig(
                config.listeners().stream()
                        .filter(ListenerSection::isEnabled)
                        .map(section -> listener(section, config))
                        .toList(),
                new TransportConfig(
                        config.mqtt().eventLoops(),
                        config.mqtt().packEventLoops(),
                        io,
                        transport.maxUnwrittenBytes(),
                        config.mqtt().maxHalfReceivedBytes(),
                        new DecodeLimits(
                                config.mqtt().maxConnectBytes(),
                                config.mqtt().maxConnectUserProperties(),
                                config.mqtt().maxUserProperties(),
                                // a longer SUBSCRIBE is decoded up to this bound, so that each excess filter gets its
                                // own refusal
                                Math.max(
                                        DecodeLimits.DEFAULTS.maxFilters(),
                                        config.mqtt().maxFiltersPerSubscribe())),
                        transport.drainTimeout()),
                new SessionConfig(
                        new SessionConfig.Windows(
                                config.mqtt().receiveMaximum(),
                                config.mqtt().sendMaximum(),
                                config.mqtt().topicAliasMaximum()),
                        new SessionConfig.Queue(
                                config.sessions().maxQueuedMessages(),
                                config.sessions().maxQueuedBytes(),
                                dropsOldest(config)),
                        SessionConfig.Intake.DEFAULTS,
                        new SessionConfig.Times(
                                config.sessions().maxExpirySeconds(),
                                config.mqtt().serverKeepAliveSeconds(),
                                config.sessions().slowConsumerTimeoutSeconds()),
                        new SessionConfig.Homes(
                                config.cluster().waits().homeMovedSeconds(),
                                config.cluster().waits().homeLostSeconds()),
                        topics(config).limits(),
                        config.mqtt().maxClientIdBytes()),
                new AuthConfig(
                        Duration.ofSeconds(config.auth().timeoutSeconds()),
                        config.auth().deniedPublish() == DeniedPublish.DISCONNECT,
                        config.auth().sessionsBelongToUsers()),
                topics(config).rules(),
                new MemoryConfig(
                        config.memory().maxHeapPercent(),
                        config.memory().maxDirectPercent(),
                        MemoryConfig.DEFAULTS.interval()),
                new BanConfig(
                        config.bans().maxFailedLoginsPerSource(),
                        config.bans().maxViolationsPerSource(),
                        config.bans().maxFlapsPerSource(),
                        config.bans().maxFlapsPerClientId(),
                        Duration.ofSeconds(config.bans().flapSeconds()),
                        Duration.ofSeconds(config.bans().windowSeconds()),
                        Duration.ofSeconds(config.bans().banSeconds())),
                TenantsOf.naming(config));
    }

    /** The limits and rules that hold for the topics of all clients. */
    public record Topics(TopicLimits limits, TopicRules rules) {}

    public static Topics topics(BrokerConfig config) {
        return new Topics(
                new TopicLimits(
                        config.mqtt().maxTopicLevels(),
                        config.mqtt().maxTopicBytes(),
                        config.mqtt().maxFiltersPerSubscribe(),
                        config.sessions().maxFilters(),
                        config.sessions().maxFilterPatterns()),
                new TopicRules(
                        config.topics().rewrite(),
                        config.topics().autoSubscriptions(),
                        config.topics().exclusiveSubscriptions(),
                        Math.min(
                                config.topics().delayedPublish().maxSeconds(),
                                config.sessions().maxExpirySeconds()),
                        config.topics().sysIntervalSeconds() > 0));
    }

    /** Of a section whose {@link #tls} can be made, when it has TLS. */
    static ListenerConfig listener(ListenerSection section, BrokerConfig config) {
        return new ListenerConfig(
                address(section, config),
                new ListenerLimits(
                        section.keys().limits().maxPacketBytes(),
                        section.keys().limits().maxConnBandwidth(),
                        section.keys().limits().maxPublishRate(),
                        Duration.ofSeconds(section.keys().limits().connectTimeoutSeconds()),
                        section.keys().limits().maxConnections(),
                        section.keys().limits().maxConnectionsPerSource(),
                        section.keys().limits().connectRate(),
                        section.keys().limits().connectRatePerSource()),
                section.kind().hasTls() ? tls(section, config) : null,
                section.kind().hasWebSocket() ? section.webSocket().wsPath() : null,
                section.kind().hasWebSocket() ? origins(section, config) : AllowedOrigins.ANY,
                section.keys().proxyProtocol().enable()
                        ? section.keys().proxyProtocol().from()
                        : List.of(),
                section.keys().mountPoint(),
                section.keys().sharedSubscriptionStrategy(),
                section.keys().tenant());
    }

    /**
     * Which web pages may connect. Where clients log in, a page from anywhere may: it has only the rights of its user.
     * Without authentication, reaching the port is all it takes, so pages of other hosts are refused.
     */
    private static AllowedOrigins origins(ListenerSection section, BrokerConfig config) {
        List<String> listed = section.webSocket().allowedOrigins();
        if (listed.isEmpty()) {
            return AuthProviders.asksWhoClientsAre(config) ? AllowedOrigins.ANY : AllowedOrigins.SAME_HOST;
        }
        return listed.contains(WebSocketKeys.ANY_ORIGIN) ? AllowedOrigins.ANY : new AllowedOrigins(false, listed);
    }

    /** @param section names a certificate and a key, and trusted authorities if it asks clients for certificates */
    public static TlsConfig tls(ListenerSection section, BrokerConfig config) {
        return new TlsConfig(
                Objects.requireNonNull(config.file(section.ssl().certFile())),
                Objects.requireNonNull(config.file(section.ssl().keyFile())),
                config.file(section.ssl().trustCertsFile()),
                section.ssl().clientAuth(),
                config.file(section.ssl().crlFile()),
                section.ssl().protocols(),
                section.ssl().ciphers(),
                section.ssl().userName(),
                section.ssl().provider());
    }

    /** Warnings for the operator, repeated at every start. */
    public static List<String> warnings(BrokerConfig config) {
        List<String> warnings = new ArrayList<>();
        if (AuthProviders.isAllowAll(config)) {
            warnings.add(
                    "authConfig.provider is allow-all: everybody who reaches a listener may read and write everything");
        }
        config.listeners().stream()
                .filter(section -> !AuthProviders.isConfigured(config)
                        && section.isEnabled()
                        && section.keys().host().isEmpty())
                .forEach(section -> warnings.add(
                        "no authentication is configured, so the listener accepts connections from this machine only; "
                                + "set authConfig.provider, or " + section.path() + ".host to open it to all"));
        List<String> clear = config.listeners().stream()
                .filter(section -> takesPasswordsInTheClear(section, config))
                .map(ListenerSection::path)
                .toList();
        if (!clear.isEmpty()) {
            warnings.add("passwords travel in the clear to " + String.join(", ", clear)
                    + ", which other machines may reach: use TLS listeners for them, or SCRAM");
        }
        config.listeners().stream()
                .filter(section -> !section.isEnabled() && config.isFilledIn(section))
                .forEach(section -> warnings.add(section.path()
                        + " is filled in and switched off: nobody can connect to it until its enable is true"));
        warnings.addAll(heapWarnings(Runtime.getRuntime().maxMemory(), machineBytes()));
        warnings.addAll(ClusterSettings.warnings(config));
        warnings.addAll(ApiSettings.warnings(config));
        warnings.addAll(OtherReaders.ofPrivateKeys(config));
        warnings.addAll(OtherReaders.ofPasswords(config));
        if (!config.properties().logSync()) {
            warnings.add("kv_log_sync is false: acknowledged messages may be lost when power fails");
        }
        if (!config.properties().metaSync()) {
            warnings.add(
                    "kv_meta_sync is false: votes may be lost when power fails; with several replicas, acknowledged "
                            + "messages may be lost with them");
        }
        return warnings;
    }

    /** A heap that outgrows the memory ends the JVM or makes the machine swap. */
    static List<String> heapWarnings(long heapBytes, long machineBytes) {
        return machineBytes <= 0 || heapBytes <= machineBytes
                ? List.of()
                : List.of("the heap may grow to " + (heapBytes >> 20) + " MiB and there are " + (machineBytes >> 20)
                        + " MiB of memory: set JVM_HEAP_OPTS, half of the memory is the default");
    }

    /** The memory of the machine or cgroup in bytes; 0 if unknown. */
    private static long machineBytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : 0;
    }

    /** Not behind a proxy, which may terminate TLS itself. */
    private static boolean takesPasswordsInTheClear(ListenerSection section, BrokerConfig config) {
        return AuthProviders.isFile(config)
                && section.isEnabled()
                && !section.kind().hasTls()
                && !section.keys().proxyProtocol().enable()
                && !address(section, config).getAddress().isLoopbackAddress();
    }

    private static boolean dropsOldest(BrokerConfig config) {
        return config.sessions().overflowPolicy() == OverflowPolicy.DROP_OLDEST;
    }

    /**
     * The address to bind. Without a host: all addresses, or only loopback if nobody is authenticated, so that no
     * outsider gets in unasked.
     */
    public static InetSocketAddress address(ListenerSection section, BrokerConfig config) {
        String host = section.keys().host();
        int port = section.port();
        if (!host.isEmpty()) {
            return new InetSocketAddress(host, port);
        }
        return AuthProviders.isConfigured(config)
                ? new InetSocketAddress(port)
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
}
