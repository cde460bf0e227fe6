package io.godwit.broker;

import com.sun.management.OperatingSystemMXBean;
import io.godwit.broker.release.Release;
import io.godwit.dist.DistConfig;
import io.godwit.dist.route.SharedStrategies;
import io.godwit.inbox.InboxConfig;
import io.godwit.kv.KvNodeConfig;
import io.godwit.kv.raft.LogSync;
import io.godwit.kv.raft.RaftSettings;
import io.godwit.kv.range.RangeSettings;
import io.godwit.mqtt.MqttConfig;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.codec.DecodeLimits;
import io.godwit.mqtt.session.SessionConfig;
import io.godwit.mqtt.topic.TopicLimits;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.mqtt.transport.AllowedOrigins;
import io.godwit.mqtt.transport.BanConfig;
import io.godwit.mqtt.transport.ListenerConfig;
import io.godwit.mqtt.transport.ListenerLimits;
import io.godwit.mqtt.transport.MemoryConfig;
import io.godwit.mqtt.transport.TransportConfig;
import io.godwit.mqtt.transport.tls.TlsConfig;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/** What each part is configured with, out of the effective configuration. */
final class BrokerSettings {
    private BrokerSettings() {}

    static KvNodeConfig node(BrokerConfig config, Path data) {
        KvNodeConfig defaults = KvNodeConfig.standalone(data);
        RangeSettings range = RangeSettings.DEFAULT;
        long lowWaterBytes = config.get(PropertySettings.DISK_LOW_WATER_BYTES);
        KvNodeConfig alone = new KvNodeConfig(
                        data,
                        config.get(FileSettings.BOOTSTRAP),
                        defaults.cacheBytes(),
                        defaults.writeBufferBytes(),
                        new RangeSettings(
                                range.maxPendingBytes(),
                                ClusterSettings.maxMessageBytes(config) - RangeSettings.MESSAGE_ROOM_BYTES,
                                config.get(PropertySettings.SNAPSHOT_LOG_BYTES),
                                range.leaderWaitMillis()),
                        lowWaterBytes < 0 ? OptionalLong.empty() : OptionalLong.of(lowWaterBytes),
                        new LogSync(config.get(PropertySettings.LOG_SYNC), config.get(PropertySettings.META_SYNC)))
                .reclaimingAt(config.get(PropertySettings.RECLAIM_BYTES_PER_SECOND));
        return ClusterSettings.isClustered(config)
                ? alone.in(new io.godwit.kv.ClusterSettings(
                        ClusterSettings.cluster(config),
                        RaftSettings.DEFAULT.sendingAt(config.get(PropertySettings.SNAPSHOT_BYTES_PER_SECOND)),
                        Release.version(),
                        config.get(FileSettings.CLUSTER_ZONE),
                        io.godwit.kv.ClusterSettings.DEFAULT_JOIN_TIMEOUT))
                : alone;
    }

    static DistConfig dist(BrokerConfig config) {
        return new DistConfig(
                new SharedStrategies(
                        config.get(FileSettings.SHARED_STRATEGY), config.get(FileSettings.SHARED_GROUP_STRATEGIES)),
                DistConfig.DEFAULT.routeTimeout());
    }

    static InboxConfig inbox(BrokerConfig config) {
        int maxQueued = config.get(FileSettings.MAX_QUEUED_MESSAGES);
        return new InboxConfig(
                maxQueued,
                dropsOldest(config) ? InboxConfig.DropPolicy.OLDEST : InboxConfig.DropPolicy.NEWEST,
                config.get(FileSettings.QUEUE_QOS0),
                maxQueued,
                config.get(FileSettings.MAX_QUEUED_QOS0_BYTES),
                Duration.ofSeconds(config.get(FileSettings.MAX_EXPIRY_SECONDS)),
                config.get(PropertySettings.INBOX_EARLY_PUSH));
    }

    static MqttConfig mqtt(BrokerConfig config) {
        return mqtt(config, TransportConfig.DEFAULTS.io());
    }

    static MqttConfig mqtt(BrokerConfig config, TransportConfig.Io io) {
        TransportConfig transport = TransportConfig.DEFAULTS;
        SessionConfig session = SessionConfig.DEFAULTS;
        return new MqttConfig(
                config.listeners().stream()
                        .filter(ListenerSection::isEnabled)
                        .map(section -> listener(section, config))
                        .toList(),
                new TransportConfig(
                        config.get(FileSettings.EVENT_LOOPS),
                        config.get(FileSettings.PACK_EVENT_LOOPS),
                        io,
                        transport.maxUnwrittenBytes(),
                        config.get(FileSettings.MAX_HALF_RECEIVED_BYTES),
                        new DecodeLimits(
                                config.get(FileSettings.MAX_CONNECT_BYTES),
                                config.get(FileSettings.MAX_CONNECT_USER_PROPERTIES),
                                config.get(FileSettings.MAX_USER_PROPERTIES),
                                // those beyond the limit of a SUBSCRIBE are refused one by one, up to this
                                Math.max(
                                        DecodeLimits.DEFAULTS.maxFilters(),
                                        config.get(FileSettings.MAX_FILTERS_PER_SUBSCRIBE))),
                        transport.drainTimeout()),
                new SessionConfig(
                        config.get(FileSettings.RECEIVE_MAXIMUM),
                        config.get(FileSettings.SEND_MAXIMUM),
                        config.get(FileSettings.TOPIC_ALIAS_MAXIMUM),
                        config.get(FileSettings.MAX_QUEUED_MESSAGES),
                        config.get(FileSettings.MAX_QUEUED_BYTES),
                        dropsOldest(config),
                        config.get(FileSettings.MAX_EXPIRY_SECONDS),
                        config.get(FileSettings.SERVER_KEEP_ALIVE_SECONDS),
                        session.maxUnstoredBytes(),
                        session.maxUnstoredNodeBytes(),
                        new TopicLimits(
                                config.get(FileSettings.MAX_TOPIC_LEVELS),
                                config.get(FileSettings.MAX_TOPIC_BYTES),
                                config.get(FileSettings.MAX_FILTERS_PER_SUBSCRIBE),
                                config.get(FileSettings.MAX_FILTERS),
                                config.get(FileSettings.MAX_FILTER_PATTERNS)),
                        config.get(FileSettings.SLOW_CONSUMER_TIMEOUT_SECONDS),
                        ClusterSettings.acknowledgesPublishes(config)),
                new AuthConfig(
                        Duration.ofSeconds(config.get(FileSettings.AUTH_TIMEOUT_SECONDS)),
                        config.get(FileSettings.AUTH_DENIED_PUBLISH) == FileSettings.DeniedPublish.DISCONNECT,
                        config.get(FileSettings.AUTH_SESSIONS_BELONG_TO_USERS)),
                new TopicRules(
                        config.get(FileSettings.TOPIC_REWRITE),
                        config.get(FileSettings.AUTO_SUBSCRIPTIONS),
                        config.get(FileSettings.EXCLUSIVE_SUBSCRIPTIONS),
                        Math.min(
                                config.get(FileSettings.MAX_DELAY_SECONDS),
                                config.get(FileSettings.MAX_EXPIRY_SECONDS)),
                        config.get(FileSettings.SYS_INTERVAL_SECONDS) > 0),
                new MemoryConfig(
                        config.get(FileSettings.MAX_HEAP_PERCENT),
                        config.get(FileSettings.MAX_DIRECT_PERCENT),
                        MemoryConfig.DEFAULTS.interval()),
                new BanConfig(
                        config.get(FileSettings.MAX_FAILED_LOGINS_PER_SOURCE),
                        config.get(FileSettings.MAX_VIOLATIONS_PER_SOURCE),
                        config.get(FileSettings.MAX_FLAPS_PER_SOURCE),
                        config.get(FileSettings.MAX_FLAPS_PER_CLIENT_ID),
                        Duration.ofSeconds(config.get(FileSettings.FLAP_SECONDS)),
                        Duration.ofSeconds(config.get(FileSettings.BAN_WINDOW_SECONDS)),
                        Duration.ofSeconds(config.get(FileSettings.BAN_SECONDS))));
    }

    /** Of one whose {@link #tls} can be said. */
    static ListenerConfig listener(ListenerSection section, BrokerConfig config) {
        return new ListenerConfig(
                address(section, config),
                new ListenerLimits(
                        section.get(FileSettings.MAX_PACKET_BYTES, config),
                        section.get(FileSettings.MAX_CONN_BANDWIDTH, config),
                        section.get(FileSettings.MAX_PUBLISH_RATE, config),
                        Duration.ofSeconds(section.get(FileSettings.CONNECT_TIMEOUT_SECONDS, config)),
                        section.get(FileSettings.MAX_CONNECTIONS, config),
                        section.get(FileSettings.MAX_CONNECTIONS_PER_SOURCE, config),
                        section.get(FileSettings.CONNECT_RATE, config),
                        section.get(FileSettings.CONNECT_RATE_PER_SOURCE, config)),
                section.kind().hasTls() ? tls(section, config) : null,
                section.kind().hasWebSocket() ? section.get(ListenerSettings.WS_PATH) : null,
                section.kind().hasWebSocket() ? origins(section, config) : AllowedOrigins.ANY,
                section.get(ListenerSettings.PROXY_ENABLE) ? section.get(ListenerSettings.PROXY_FROM) : List.of(),
                section.get(ListenerSettings.MOUNT_POINT),
                section.get(FileSettings.SHARED_STRATEGY, config));
    }

    /**
     * A page that must log in may come from anywhere: it has no more than its owner has. Where nobody is asked to,
     * being in the right place is all it takes.
     */
    private static AllowedOrigins origins(ListenerSection section, BrokerConfig config) {
        List<String> listed = section.get(ListenerSettings.ALLOWED_ORIGINS);
        if (listed.isEmpty()) {
            return AuthProviders.asksWhoClientsAre(config) ? AllowedOrigins.ANY : AllowedOrigins.SAME_HOST;
        }
        return listed.contains(ListenerSettings.ANY_ORIGIN) ? AllowedOrigins.ANY : new AllowedOrigins(false, listed);
    }

    /**
     * Of a listener that names a certificate and a key, and trusted authorities when it asks clients for certificates.
     */
    static TlsConfig tls(ListenerSection section, BrokerConfig config) {
        return new TlsConfig(
                Objects.requireNonNull(config.file(section.get(ListenerSettings.CERT_FILE))),
                Objects.requireNonNull(config.file(section.get(ListenerSettings.KEY_FILE))),
                config.file(section.get(ListenerSettings.TRUST_CERTS_FILE)),
                section.get(ListenerSettings.CLIENT_AUTH),
                config.file(section.get(ListenerSettings.CRL_FILE)),
                section.get(ListenerSettings.PROTOCOLS),
                section.get(ListenerSettings.CIPHERS),
                section.get(ListenerSettings.USER_NAME),
                section.get(ListenerSettings.PROVIDER));
    }

    /** What an operator should know of this configuration at every start. */
    static List<String> warnings(BrokerConfig config) {
        List<String> warnings = new ArrayList<>();
        if (config.get(FileSettings.AUTH_PROVIDER).equals(AuthProviders.ALLOW_ALL)) {
            warnings.add(
                    "authConfig.provider is allow-all: everybody who reaches a listener may read and write everything");
        }
        config.listeners().stream()
                .filter(section -> !AuthProviders.isConfigured(config)
                        && section.isEnabled()
                        && section.get(ListenerSettings.HOST).isEmpty())
                .forEach(section -> warnings.add(
                        "no authentication is configured, so the listener accepts connections from this machine only; "
                                + "set authConfig.provider, or " + section.path() + ".host to open it to all"));
        List<String> clear = config.listeners().stream()
                .filter(section -> takesPasswordsInTheClear(section, config))
                .map(ListenerSection::path)
                .toList();
        if (!clear.isEmpty()) {
            warnings.add("passwords travel in the clear to " + String.join(", ", clear)
                    + ", which others than this machine may reach: use TLS listeners for them, or SCRAM");
        }
        config.listeners().stream()
                .filter(section -> !section.isEnabled() && section.isFilledIn())
                .forEach(section -> warnings.add(section.path()
                        + " is filled in and switched off: nobody can connect to it until its enable is true"));
        warnings.addAll(heapWarnings(Runtime.getRuntime().maxMemory(), machineBytes()));
        warnings.addAll(ClusterSettings.warnings(config));
        warnings.addAll(OtherReaders.ofPrivateKeys(config));
        warnings.addAll(OtherReaders.ofPasswords(config));
        if (!config.get(PropertySettings.LOG_SYNC)) {
            warnings.add("kv_log_sync is false: acknowledged messages may be lost when power fails");
        }
        if (!config.get(PropertySettings.META_SYNC)) {
            warnings.add(
                    "kv_meta_sync is false: votes may be forgotten when power fails, and with them, among replicas, "
                            + "acknowledged messages");
        }
        return warnings;
    }

    /** A JVM that is promised more memory than there is ends when it takes it, or has the machine swap. */
    static List<String> heapWarnings(long heapBytes, long machineBytes) {
        return machineBytes <= 0 || heapBytes <= machineBytes
                ? List.of()
                : List.of("the heap may grow to " + (heapBytes >> 20) + " MiB and there are " + (machineBytes >> 20)
                        + " MiB of memory: set JVM_HEAP_OPTS, half of the memory is the default");
    }

    /** Of the machine or the cgroup; 0 when that is not known. */
    private static long machineBytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getTotalMemorySize()
                : 0;
    }

    /** A proxy in front may bring its own TLS. */
    private static boolean takesPasswordsInTheClear(ListenerSection section, BrokerConfig config) {
        return config.get(FileSettings.AUTH_PROVIDER).equals(AuthProviders.FILE)
                && section.isEnabled()
                && !section.kind().hasTls()
                && !section.get(ListenerSettings.PROXY_ENABLE)
                && !address(section, config).getAddress().isLoopbackAddress();
    }

    private static boolean dropsOldest(BrokerConfig config) {
        return config.get(FileSettings.OVERFLOW_POLICY) == FileSettings.OverflowPolicy.DROP_OLDEST;
    }

    /**
     * Without a host all addresses, or, when nobody is authenticated, loopback: nobody from outside is let in unasked.
     */
    static InetSocketAddress address(ListenerSection section, BrokerConfig config) {
        String host = section.get(ListenerSettings.HOST);
        int port = section.get(section.kind().port());
        if (!host.isEmpty()) {
            return new InetSocketAddress(host, port);
        }
        return AuthProviders.isConfigured(config)
                ? new InetSocketAddress(port)
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }
}
