package io.godwit.broker;

import io.godwit.cluster.HostPort;
import io.godwit.dist.client.SharedPick;
import io.godwit.inbox.InboxConfig;
import io.godwit.mqtt.topic.AutoSubscription;
import io.godwit.mqtt.topic.RewriteRule;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Every key of {@code standalone.yml} but for those of the listeners, which are {@link ListenerSettings}; those of
 * {@code storeConfig} come from {@link BalanceSettings}. What each does is told in {@code conf/standalone.yml}, which a
 * test holds against this list.
 */
final class FileSettings {
    static final Setting<Boolean> BOOTSTRAP = Setting.flag("bootstrap", true);

    static final Setting<Long> MAX_CONN_BANDWIDTH =
            Setting.number("mqttServerConfig.maxConnBandwidth", 524_288, 0, Integer.MAX_VALUE);
    static final Setting<Integer> MAX_PUBLISH_RATE =
            Setting.integer("mqttServerConfig.maxPublishRate", 0, 0, Integer.MAX_VALUE);
    static final Setting<Integer> MAX_PACKET_BYTES =
            Setting.integer("mqttServerConfig.maxPacketBytes", 2 * 1024 * 1024, 256, 268_435_455);
    static final Setting<Integer> MAX_CONNECT_BYTES =
            Setting.integer("mqttServerConfig.maxConnectBytes", 65_536, 256, 268_435_455);
    static final Setting<Integer> MAX_CONNECT_USER_PROPERTIES =
            Setting.integer("mqttServerConfig.maxConnectUserProperties", 100, 0, Integer.MAX_VALUE);
    static final Setting<Integer> MAX_USER_PROPERTIES =
            Setting.integer("mqttServerConfig.maxUserProperties", 1_000, 0, Integer.MAX_VALUE);
    static final Setting<Long> MAX_HALF_RECEIVED_BYTES =
            Setting.numberOrZero("mqttServerConfig.maxHalfReceivedBytes", 64 << 20, 1 << 20, Long.MAX_VALUE);
    static final Setting<Integer> CONNECT_TIMEOUT_SECONDS =
            Setting.integer("mqttServerConfig.connectTimeoutSeconds", 20, 1, 3_600);
    static final Setting<Integer> MAX_CONNECTIONS =
            Setting.integer("mqttServerConfig.maxConnections", 0, 0, Integer.MAX_VALUE);
    static final Setting<Integer> MAX_CONNECTIONS_PER_SOURCE =
            Setting.integer("mqttServerConfig.maxConnectionsPerSource", 0, 0, Integer.MAX_VALUE);
    static final Setting<Integer> CONNECT_RATE =
            Setting.integer("mqttServerConfig.connectRate", 0, 0, Integer.MAX_VALUE);
    static final Setting<Integer> CONNECT_RATE_PER_SOURCE =
            Setting.integer("mqttServerConfig.connectRatePerSource", 0, 0, Integer.MAX_VALUE);
    static final Setting<Integer> RECEIVE_MAXIMUM =
            Setting.integer("mqttServerConfig.receiveMaximum", 1_000, 1, 65_535);
    static final Setting<Integer> SEND_MAXIMUM = Setting.integer("mqttServerConfig.sendMaximum", 1_000, 1, 65_535);
    static final Setting<Integer> TOPIC_ALIAS_MAXIMUM =
            Setting.integer("mqttServerConfig.topicAliasMaximum", 16, 0, 65_535);
    static final Setting<Integer> MAX_TOPIC_LEVELS =
            Setting.integer("mqttServerConfig.maxTopicLevels", 1_000, 1, 65_536);
    static final Setting<Integer> MAX_TOPIC_BYTES =
            Setting.integer("mqttServerConfig.maxTopicBytes", 65_535, 1, 65_535);
    static final Setting<Integer> MAX_FILTERS_PER_SUBSCRIBE =
            Setting.integer("mqttServerConfig.maxFiltersPerSubscribe", 10_000, 1, Integer.MAX_VALUE);
    static final Setting<Integer> SERVER_KEEP_ALIVE_SECONDS =
            Setting.integer("mqttServerConfig.serverKeepAliveSeconds", 0, 0, 65_535);
    static final Setting<Integer> EVENT_LOOPS = Setting.integer("mqttServerConfig.eventLoops", 0, 0, 1_024);
    static final Setting<Boolean> PACK_EVENT_LOOPS = Setting.flag("mqttServerConfig.packEventLoops", true);

    static final Setting<Integer> MAX_QUEUED_MESSAGES =
            Setting.integer("sessionConfig.maxQueuedMessages", 1_000, 1, 1_000_000);
    static final Setting<Long> MAX_QUEUED_BYTES =
            Setting.number("sessionConfig.maxQueuedBytes", 64L << 20, 1, Long.MAX_VALUE);
    static final Setting<Long> MAX_QUEUED_QOS0_BYTES =
            Setting.number("sessionConfig.maxQueuedQos0Bytes", InboxConfig.DEFAULT_QOS0_BYTES, 1, Long.MAX_VALUE);
    static final Setting<Integer> MAX_FILTERS =
            Setting.integer("sessionConfig.maxFilters", 10_000, 1, Integer.MAX_VALUE);
    static final Setting<Integer> MAX_FILTER_PATTERNS =
            Setting.integer("sessionConfig.maxFilterPatterns", 100, 1, Integer.MAX_VALUE);
    static final Setting<Integer> SLOW_CONSUMER_TIMEOUT_SECONDS =
            Setting.integer("sessionConfig.slowConsumerTimeoutSeconds", 0, 0, 86_400);
    static final Setting<OverflowPolicy> OVERFLOW_POLICY =
            Setting.choice("sessionConfig.overflowPolicy", OverflowPolicy.DROP_NEWEST, OverflowPolicy.class);
    static final Setting<Boolean> QUEUE_QOS0 = Setting.flag("sessionConfig.queueQos0", true);
    static final Setting<Long> MAX_EXPIRY_SECONDS =
            Setting.number("sessionConfig.maxExpirySeconds", 0xFFFF_FFFFL, 1, 0xFFFF_FFFFL);
    static final Setting<SharedPick> SHARED_STRATEGY =
            Setting.choice("sessionConfig.sharedSubscriptionStrategy", SharedPick.RANDOM, SharedPick.class);
    static final Setting<Map<String, SharedPick>> SHARED_GROUP_STRATEGIES =
            Setting.choices("sessionConfig.sharedGroupStrategies", SharedPick.class);

    static final Setting<Integer> MAX_HEAP_PERCENT = Setting.integerOrZero("memoryConfig.maxHeapPercent", 85, 11, 99);
    static final Setting<Integer> MAX_DIRECT_PERCENT =
            Setting.integerOrZero("memoryConfig.maxDirectPercent", 85, 11, 99);

    static final Setting<Integer> MAX_FAILED_LOGINS_PER_SOURCE =
            Setting.integer("banConfig.maxFailedLoginsPerSource", 500, 0, Integer.MAX_VALUE);
    static final Setting<Integer> MAX_VIOLATIONS_PER_SOURCE =
            Setting.integer("banConfig.maxViolationsPerSource", 0, 0, Integer.MAX_VALUE);
    static final Setting<Integer> MAX_FLAPS_PER_SOURCE =
            Setting.integer("banConfig.maxFlapsPerSource", 0, 0, Integer.MAX_VALUE);
    static final Setting<Integer> MAX_FLAPS_PER_CLIENT_ID =
            Setting.integer("banConfig.maxFlapsPerClientId", 0, 0, Integer.MAX_VALUE);
    static final Setting<Integer> FLAP_SECONDS = Setting.integer("banConfig.flapSeconds", 5, 1, 3_600);
    static final Setting<Integer> BAN_WINDOW_SECONDS = Setting.integer("banConfig.windowSeconds", 60, 1, 86_400);
    static final Setting<Integer> BAN_SECONDS = Setting.integer("banConfig.banSeconds", 60, 1, 31_536_000);

    static final Setting<String> AUTH_PROVIDER = Setting.text("authConfig.provider", "");
    static final Setting<String> AUTH_FILE = Setting.text("authConfig.file", "passwd");
    static final Setting<String> AUTH_ACL_FILE = Setting.text("authConfig.aclFile", "");
    static final Setting<Boolean> AUTH_ALLOW_ANONYMOUS = Setting.flag("authConfig.allowAnonymous", false);
    static final Setting<DeniedPublish> AUTH_DENIED_PUBLISH =
            Setting.choice("authConfig.deniedPublish", DeniedPublish.DROP, DeniedPublish.class);
    static final Setting<Boolean> AUTH_SESSIONS_BELONG_TO_USERS =
            Setting.flag("authConfig.sessionsBelongToUsers", true);
    static final Setting<Integer> AUTH_TIMEOUT_SECONDS = Setting.integer("authConfig.timeoutSeconds", 10, 1, 3_600);
    static final Setting<Integer> AUTH_PASSWORD_THREADS = Setting.integer("authConfig.passwordThreads", 0, 0, 1_024);
    static final Setting<Integer> AUTH_PASSWORD_QUEUE = Setting.integer("authConfig.passwordQueue", 500, 1, 1_000_000);
    static final Setting<Integer> AUTH_PASSWORD_CACHE_SECONDS =
            Setting.integer("authConfig.passwordCacheSeconds", 300, 0, 86_400);

    static final Setting<List<RewriteRule>> TOPIC_REWRITE = Setting.lines("topicConfig.rewrite", RewriteRule::parse);
    static final Setting<List<AutoSubscription>> AUTO_SUBSCRIPTIONS =
            Setting.lines("topicConfig.autoSubscriptions", AutoSubscription::parse);
    static final Setting<Integer> SYS_INTERVAL_SECONDS =
            Setting.integer("topicConfig.sysIntervalSeconds", 0, 0, 86_400);
    static final Setting<Long> MAX_DELAY_SECONDS =
            Setting.number("topicConfig.delayedPublish.maxSeconds", 0, 0, 0xFFFF_FFFFL);
    static final Setting<Integer> MAX_DELAYED_MESSAGES =
            Setting.integer("topicConfig.delayedPublish.maxMessages", 100_000, 1, Integer.MAX_VALUE);
    static final Setting<Boolean> EXCLUSIVE_SUBSCRIPTIONS = Setting.flag("topicConfig.exclusiveSubscriptions", false);

    static final Setting<String> CLUSTER_ENV = Setting.text("clusterConfig.env", "");
    static final Setting<String> CLUSTER_HOST = Setting.text("clusterConfig.host", "");
    static final Setting<Integer> CLUSTER_PORT = Setting.integer("clusterConfig.port", 8_899, 1, 65_535);
    static final Setting<String> CLUSTER_DOMAIN_NAME = Setting.text("clusterConfig.clusterDomainName", "");
    static final Setting<List<HostPort>> SEED_ENDPOINTS =
            Setting.list("clusterConfig.seedEndpoints", List.of(), HostPort::parse);
    /** 0 for the one after {@link #CLUSTER_PORT}. */
    static final Setting<Integer> CLUSTER_RPC_PORT = Setting.integer("clusterConfig.rpcPort", 0, 0, 65_535);

    static final Setting<String> CLUSTER_ZONE = Setting.text("clusterConfig.zone", "");
    /** Files are named relative to the configuration file's directory; empty for none. */
    static final Setting<String> CLUSTER_CERT_FILE = Setting.text("clusterConfig.tls.certFile", "");

    static final Setting<String> CLUSTER_KEY_FILE = Setting.text("clusterConfig.tls.keyFile", "");
    static final Setting<String> CLUSTER_TRUST_CERTS_FILE = Setting.text("clusterConfig.tls.trustCertsFile", "");
    static final Setting<String> CLUSTER_REQUIRED_NAME = Setting.text("clusterConfig.tls.requiredName", "");
    static final Setting<Boolean> CLUSTER_PLAIN = Setting.flag("clusterConfig.tls.plain", false);
    static final Setting<Boolean> ACKNOWLEDGE_UNREACHED = Setting.flag("clusterConfig.acknowledgeUnreached", false);

    private static final List<Setting<?>> OWN = List.of(
            BOOTSTRAP,
            MAX_CONN_BANDWIDTH,
            MAX_PUBLISH_RATE,
            MAX_PACKET_BYTES,
            MAX_CONNECT_BYTES,
            MAX_CONNECT_USER_PROPERTIES,
            MAX_USER_PROPERTIES,
            MAX_HALF_RECEIVED_BYTES,
            CONNECT_TIMEOUT_SECONDS,
            MAX_CONNECTIONS,
            MAX_CONNECTIONS_PER_SOURCE,
            CONNECT_RATE,
            CONNECT_RATE_PER_SOURCE,
            RECEIVE_MAXIMUM,
            SEND_MAXIMUM,
            TOPIC_ALIAS_MAXIMUM,
            MAX_TOPIC_LEVELS,
            MAX_TOPIC_BYTES,
            MAX_FILTERS_PER_SUBSCRIBE,
            SERVER_KEEP_ALIVE_SECONDS,
            EVENT_LOOPS,
            PACK_EVENT_LOOPS,
            MAX_QUEUED_MESSAGES,
            MAX_QUEUED_BYTES,
            MAX_QUEUED_QOS0_BYTES,
            MAX_FILTERS,
            MAX_FILTER_PATTERNS,
            SLOW_CONSUMER_TIMEOUT_SECONDS,
            OVERFLOW_POLICY,
            QUEUE_QOS0,
            MAX_EXPIRY_SECONDS,
            SHARED_STRATEGY,
            SHARED_GROUP_STRATEGIES,
            MAX_HEAP_PERCENT,
            MAX_DIRECT_PERCENT,
            MAX_FAILED_LOGINS_PER_SOURCE,
            MAX_VIOLATIONS_PER_SOURCE,
            MAX_FLAPS_PER_SOURCE,
            MAX_FLAPS_PER_CLIENT_ID,
            FLAP_SECONDS,
            BAN_WINDOW_SECONDS,
            BAN_SECONDS,
            AUTH_PROVIDER,
            AUTH_FILE,
            AUTH_ACL_FILE,
            AUTH_ALLOW_ANONYMOUS,
            AUTH_DENIED_PUBLISH,
            AUTH_SESSIONS_BELONG_TO_USERS,
            AUTH_TIMEOUT_SECONDS,
            AUTH_PASSWORD_THREADS,
            AUTH_PASSWORD_QUEUE,
            AUTH_PASSWORD_CACHE_SECONDS,
            TOPIC_REWRITE,
            AUTO_SUBSCRIPTIONS,
            EXCLUSIVE_SUBSCRIPTIONS,
            MAX_DELAY_SECONDS,
            MAX_DELAYED_MESSAGES,
            SYS_INTERVAL_SECONDS,
            CLUSTER_ENV,
            CLUSTER_HOST,
            CLUSTER_PORT,
            CLUSTER_DOMAIN_NAME,
            SEED_ENDPOINTS,
            CLUSTER_RPC_PORT,
            CLUSTER_ZONE,
            CLUSTER_CERT_FILE,
            CLUSTER_KEY_FILE,
            CLUSTER_TRUST_CERTS_FILE,
            CLUSTER_REQUIRED_NAME,
            CLUSTER_PLAIN,
            ACKNOWLEDGE_UNREACHED);

    static final List<Setting<?>> ALL =
            Stream.concat(OWN.stream(), BalanceSettings.all().stream()).toList();

    private FileSettings() {}

    /** What becomes of a publish that is not allowed. */
    enum DeniedPublish {
        /** It is discarded, which only MQTT 5.0 is told. */
        DROP,
        /** Its connection is closed. */
        DISCONNECT
    }

    /** What a full session queue does with a QoS 1 or 2 message. Neither fails the publisher. */
    enum OverflowPolicy {
        DROP_NEWEST,
        DROP_OLDEST
    }
}
