package io.godwit.plugin.tenant;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What may be set for one tenant. This is the only list: the file of the tenants, the check of plugin answers, and the
 * table of docs/tenants.md come from it.
 *
 * <p>Every value is a {@code long}: a flag is 0 or 1, a choice is the index of its word, a set has a bit for each word.
 */
public enum TenantSetting {
    /** The protocol versions that a CONNECT may use. */
    PROTOCOLS(
            "protocols",
            Reach.NEXT_CONNECT,
            List.of("3.1", "3.1.1", "5.0"),
            7,
            "The versions of MQTT that clients may use. Another one is refused (0x84; before 5.0 return code 1)."),
    MAX_CONNECTIONS(
            "maxConnections",
            Reach.NEXT_CONNECT,
            Range.of(0, Integer.MAX_VALUE),
            0,
            "Quota of the tenant: clients that are connected; 0 = no limit. One more is refused (0x97; before 5.0"
                    + " return code 3); one that takes over the connection of its client id is not one more."),
    MAX_QOS(
            "maxQos",
            Reach.CONNECTED,
            Range.of(0, 2),
            2,
            "The highest QoS. A publish above it ends the connection (0x9B), a will above it is refused (0x9B; before"
                    + " 5.0 return code 5), a subscription is granted no more."),
    RETAIN(
            "retain",
            Reach.CONNECTED,
            Range.FLAG,
            1,
            "Whether clients may publish with RETAIN. If not, such a publish ends the connection (0x9A), such a will"
                    + " is refused (0x9A; before 5.0 return code 5)."),
    WILDCARDS(
            "wildcardSubscriptions",
            Reach.CONNECTED,
            Range.FLAG,
            1,
            "Whether filters may have wildcards. If not, they are refused (0xA2; before 5.0 0x80)."),
    SHARED(
            "sharedSubscriptions",
            Reach.CONNECTED,
            Range.FLAG,
            1,
            "Whether $share, $oshare and $queue may be subscribed to. If not, they are refused (0x9E; before 5.0"
                    + " 0x80)."),
    SUBSCRIPTION_IDENTIFIERS(
            "subscriptionIdentifiers",
            Reach.CONNECTED,
            Range.FLAG,
            1,
            "Whether a SUBSCRIBE may have an identifier. If not, its filters are refused (0xA1)."),
    EXCLUSIVE(
            "exclusiveSubscriptions",
            Reach.CONNECTED,
            Range.FLAG,
            "topicConfig.exclusiveSubscriptions",
            "Whether $exclusive/filter may be subscribed to. If not, such filters are refused as not valid."),
    MAX_TOPIC_LEVELS(
            "maxTopicLevels",
            Reach.CONNECTED,
            Range.of(1, 65_536),
            "mqttServerConfig.maxTopicLevels",
            "Levels of a topic or filter. More are refused as the node refuses them."),
    MAX_TOPIC_LEVEL_BYTES(
            "maxTopicLevelBytes",
            Reach.CONNECTED,
            Range.of(1, 65_535),
            65_535,
            "UTF-8 bytes of one level of a topic or filter. More are refused as too many levels are."),
    MAX_TOPIC_BYTES(
            "maxTopicBytes",
            Reach.CONNECTED,
            Range.of(1, 65_535),
            "mqttServerConfig.maxTopicBytes",
            "UTF-8 bytes of a topic or filter."),
    MAX_CLIENT_ID_BYTES(
            "maxClientIdBytes",
            Reach.NEXT_CONNECT,
            Range.of(23, 65_535),
            "mqttServerConfig.maxClientIdBytes",
            "UTF-8 bytes of a client id; no more than the node allows. A longer one is refused (0x85; before 5.0 return"
                    + " code 2)."),
    MAX_WILL_BYTES(
            "maxWillBytes",
            Reach.NEXT_CONNECT,
            Range.of(0, 268_435_455),
            268_435_455,
            "Bytes of the payload of a will; 0 = an empty one only. A larger one is refused (0x97; before 5.0 return"
                    + " code 3)."),
    MAX_PAYLOAD_BYTES(
            "maxPayloadBytes",
            Reach.CONNECTED,
            Range.of(0, 268_435_455),
            268_435_455,
            "Bytes of the payload of a publish. A larger one is not taken: 0x97 at QoS 1 and 2, counted at QoS 0;"
                    + " before 5.0 it is acknowledged and dropped."),
    CHECK_PAYLOAD_FORMAT(
            "checkPayloadFormat",
            Reach.CONNECTED,
            Range.FLAG,
            0,
            "Whether a publish that says that its payload is UTF-8 is refused when that is not so (0x99). A will is"
                    + " refused with its CONNECT."),
    MAX_PUBLISH_RATE(
            "maxPublishRate",
            Reach.CONNECTED,
            Range.of(0, Integer.MAX_VALUE),
            "mqttServerConfig.maxPublishRate",
            "Messages per second that one connection may publish; 0 = no limit. One over it is read more slowly."),
    MAX_BANDWIDTH_IN(
            "maxBandwidthIn",
            Reach.CONNECTED,
            Range.of(0, Integer.MAX_VALUE),
            "mqttServerConfig.maxConnBandwidth",
            "Bytes per second that one connection may send; 0 = no limit. One over it is read more slowly."),
    MAX_BANDWIDTH_OUT(
            "maxBandwidthOut",
            Reach.CONNECTED,
            Range.of(0, Integer.MAX_VALUE),
            "mqttServerConfig.maxConnBandwidth",
            "Bytes per second that one connection is sent; 0 = no limit. QoS 0 beyond it is dropped and counted."),
    RECEIVE_MAXIMUM(
            "receiveMaximum",
            Reach.NEXT_CONNECT,
            Range.of(1, 65_535),
            "mqttServerConfig.receiveMaximum",
            "QoS 1 and 2 publishes that a client may have under way."),
    SEND_MAXIMUM(
            "sendMaximum",
            Reach.NEXT_CONNECT,
            Range.of(1, 65_535),
            "mqttServerConfig.sendMaximum",
            "QoS 1 and 2 publishes under way towards a client, at most."),
    TOPIC_ALIAS_MAXIMUM(
            "topicAliasMaximum",
            Reach.NEXT_CONNECT,
            Range.of(0, 65_535),
            "mqttServerConfig.topicAliasMaximum",
            "Topic aliases in each direction; 0 = none."),
    MAX_FILTERS(
            "maxFilters",
            Reach.CONNECTED,
            Range.of(1, Integer.MAX_VALUE),
            "sessionConfig.maxFilters",
            "Subscriptions of one session. More are refused (0x97; before 5.0 0x80); what is there stays."),
    MAX_FILTER_PATTERNS(
            "maxFilterPatterns",
            Reach.CONNECTED,
            Range.of(1, Integer.MAX_VALUE),
            "sessionConfig.maxFilterPatterns",
            "Patterns of the filters of one session, as the node counts them."),
    MAX_FILTERS_PER_SUBSCRIBE(
            "maxFiltersPerSubscribe",
            Reach.CONNECTED,
            Range.of(1, Integer.MAX_VALUE),
            "mqttServerConfig.maxFiltersPerSubscribe",
            "Filters in one SUBSCRIBE. Those beyond are refused (0x97; before 5.0 0x80)."),
    MAX_RETAINED_MATCHES(
            "maxRetainedMatches",
            Reach.CONNECTED,
            Range.of(0, Integer.MAX_VALUE),
            0,
            "Retained messages that a subscription gets when it is made; 0 = no limit. The rest is left out, and"
                    + " counted; live messages follow as usual. A stored session that reconnects before it has them all"
                    + " counts from 0 again."),
    FORCE_TRANSIENT(
            "forceTransient",
            Reach.NEXT_CONNECT,
            Range.FLAG,
            0,
            "Whether sessions end with their connection, whatever clients ask for. CONNACK says expiry 0; a stored"
                    + " session of before is resumed once, and ends."),
    MIN_EXPIRY_SECONDS(
            "minExpirySeconds",
            Reach.NEXT_CONNECT,
            Range.of(0, 0xFFFF_FFFFL),
            0,
            "The shortest Session Expiry Interval other than 0. A client that asks for less has this one, and is told"
                    + " so in CONNACK."),
    MAX_EXPIRY_SECONDS(
            "maxExpirySeconds",
            Reach.NEXT_CONNECT,
            Range.of(0, 0xFFFF_FFFFL),
            "sessionConfig.maxExpirySeconds",
            "The longest Session Expiry Interval, and that of sessions before 5.0; no more than the node allows."),
    MIN_KEEP_ALIVE_SECONDS(
            "minKeepAliveSeconds",
            Reach.NEXT_CONNECT,
            Range.of(0, 65_535),
            0,
            "The shortest keep-alive. A client that asks for less, 0 aside, has this one, and is told so if it is of"
                    + " 5.0."),
    SERVER_KEEP_ALIVE_SECONDS(
            "serverKeepAliveSeconds",
            Reach.NEXT_CONNECT,
            Range.of(0, 65_535),
            "mqttServerConfig.serverKeepAliveSeconds",
            "Keep-alive imposed on clients of 5.0; 0 = what the client asked for."),
    SLOW_CONSUMER_TIMEOUT_SECONDS(
            "slowConsumerTimeoutSeconds",
            Reach.CONNECTED,
            Range.of(0, Integer.MAX_VALUE),
            "sessionConfig.slowConsumerTimeoutSeconds",
            "How long a client may read too slowly before it is disconnected; 0 = for ever."),
    MAX_QUEUED_MESSAGES(
            "maxQueuedMessages",
            Reach.CONNECTED,
            Range.of(1, Integer.MAX_VALUE),
            "sessionConfig.maxQueuedMessages",
            "QoS 1 and 2 messages that wait for a session. What waits already stays."),
    OVERFLOW_POLICY(
            "overflowPolicy",
            Reach.CONNECTED,
            List.of("drop-newest", "drop-oldest"),
            "sessionConfig.overflowPolicy",
            "What a full session drops."),
    MAX_QUEUED_BYTES(
            "maxQueuedBytes",
            Reach.CONNECTED,
            Range.of(1, Long.MAX_VALUE),
            "sessionConfig.maxQueuedBytes",
            "Bytes of memory that waiting messages of a session without an expiry take."),
    QUEUE_QOS0(
            "queueQos0",
            Reach.CONNECTED,
            Range.FLAG,
            "sessionConfig.queueQos0",
            "Whether QoS 0 messages are kept for a client that is not connected."),
    SYS_TOPICS(
            "sysTopics",
            Reach.CONNECTED,
            Range.FLAG,
            0,
            "Whether the tenant's figures are published to it below $SYS/broker; needs"
                    + " topicConfig.sysIntervalSeconds. The tenant default has those of the node instead."),
    MAX_SESSIONS(
            "maxSessions",
            Reach.NEXT_CONNECT,
            Range.of(0, Integer.MAX_VALUE),
            0,
            "Quota of the tenant: sessions that outlive their connection; 0 = no limit. A client that would begin one"
                    + " more is refused (0x97; before 5.0 return code 3); sessions that are there are resumed."),
    MAX_SUBSCRIPTIONS(
            "maxSubscriptions",
            Reach.CONNECTED,
            Range.of(0, Integer.MAX_VALUE),
            0,
            "Quota of the tenant: subscriptions of all its sessions; 0 = no limit. One more is refused (0x97; before"
                    + " 5.0 0x80); what is there stays."),
    MAX_SHARED_GROUP_SIZE(
            "maxSharedGroupSize",
            Reach.CONNECTED,
            Range.of(0, Integer.MAX_VALUE),
            0,
            "Quota of each shared group: its members; 0 = no limit. One more is refused (0x97; before 5.0 0x80)."),
    MAX_RETAINED_MESSAGES(
            "maxRetainedMessages",
            Reach.CONNECTED,
            Range.of(0, Integer.MAX_VALUE),
            0,
            "Quota of the tenant: topics with a retained message; 0 = no limit. A publish that would add one is not"
                    + " taken: 0x97 at QoS 1 and 2, counted at QoS 0; before 5.0 it is acknowledged and dropped. One"
                    + " that replaces or clears a message is taken."),
    MAX_RETAINED_BYTES(
            "maxRetainedBytes",
            Reach.CONNECTED,
            Range.of(0, Long.MAX_VALUE),
            0,
            "Quota of the tenant: bytes of the payloads of its retained messages; 0 = no limit. A publish that would"
                    + " exceed it is not taken, as above."),
    MAX_DELAYED_MESSAGES(
            "maxDelayedMessages",
            Reach.CONNECTED,
            Range.of(0, Integer.MAX_VALUE),
            0,
            "Quota of the tenant: messages to $delayed that wait for their time; 0 = no limit but that of the node. One"
                    + " more is not taken: 0x97 at QoS 1 and 2, counted at QoS 0; before 5.0 the connection is"
                    + " closed."),
    MAX_TENANT_PUBLISH_RATE(
            "maxTenantPublishRate",
            Reach.CONNECTED,
            Range.of(0, Integer.MAX_VALUE),
            0,
            "Quota of the tenant: messages per second that its clients publish together; 0 = no limit. Beyond it they"
                    + " are read more slowly."),
    MAX_TENANT_BANDWIDTH_IN(
            "maxTenantBandwidthIn",
            Reach.CONNECTED,
            Range.of(0, Integer.MAX_VALUE),
            0,
            "Quota of the tenant: bytes per second that its clients send together; 0 = no limit. Beyond it they are"
                    + " read more slowly."),
    MAX_TENANT_DELIVER_RATE(
            "maxTenantDeliverRate",
            Reach.CONNECTED,
            Range.of(0, Integer.MAX_VALUE),
            0,
            "Quota of the tenant: messages per second that its clients receive together; 0 = no limit. Beyond it QoS 0"
                    + " is dropped and counted; QoS 1 and 2 wait in the queues of their sessions."),
    MAX_TENANT_BANDWIDTH_OUT(
            "maxTenantBandwidthOut",
            Reach.CONNECTED,
            Range.of(0, Integer.MAX_VALUE),
            0,
            "Quota of the tenant: bytes of payloads per second that its clients receive together; 0 = no limit. Beyond"
                    + " it the same happens as beyond maxTenantDeliverRate."),
    MAX_TENANT_QUEUED_BYTES(
            "maxTenantQueuedBytes",
            Reach.CONNECTED,
            Range.of(0, Long.MAX_VALUE),
            0,
            "Quota of the tenant: bytes of payloads that wait for its sessions that outlive their connection; 0 = no"
                    + " limit. A message beyond it is dropped for that session, and counted, unless its client is"
                    + " connected and takes it at once. What waits already stays.");

    /** The kind of a value and its bounds. */
    private record Range(Kind kind, long min, long max) {
        private static final Range FLAG = new Range(Kind.FLAG, 0, 1);

        private static Range of(long min, long max) {
            return new Range(Kind.NUMBER, min, max);
        }
    }

    /** How a value is written. */
    public enum Kind {
        /** A whole number. */
        NUMBER,
        /** {@code true} or {@code false}. */
        FLAG,
        /** One of a few words. */
        CHOICE,
        /** One or more of a few words, separated by commas. */
        SET
    }

    /** Which clients a change reaches. */
    public enum Reach {
        /** Connected clients too, within seconds. */
        CONNECTED,
        /** Clients from their next CONNECT on: CONNECT and CONNACK agree on the value. */
        NEXT_CONNECT
    }

    private final String key;
    private final Reach reach;
    private final Kind kind;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> words;

    private final long min;
    private final long max;
    private final long defaultValue;
    private final String nodeKey;
    private final String meaning;

    TenantSetting(String key, Reach reach, Range range, long defaultValue, String meaning) {
        this(key, reach, range, List.of(), defaultValue, "", meaning);
    }

    TenantSetting(String key, Reach reach, Range range, String nodeKey, String meaning) {
        this(key, reach, range, List.of(), 0, nodeKey, meaning);
    }

    TenantSetting(String key, Reach reach, List<String> words, long defaultSet, String meaning) {
        this(key, reach, new Range(Kind.SET, 1, (1L << words.size()) - 1), words, defaultSet, "", meaning);
    }

    TenantSetting(String key, Reach reach, List<String> words, String nodeKey, String meaning) {
        this(key, reach, new Range(Kind.CHOICE, 0, words.size() - 1), words, 0, nodeKey, meaning);
    }

    TenantSetting(
            String key,
            Reach reach,
            Range range,
            List<String> words,
            long defaultValue,
            String nodeKey,
            String meaning) {
        this.key = key;
        this.reach = reach;
        this.kind = range.kind();
        this.words = words;
        this.min = range.min();
        this.max = range.max();
        this.defaultValue = defaultValue;
        this.nodeKey = nodeKey;
        this.meaning = meaning;
    }

    /** The name in files. */
    public String key() {
        return key;
    }

    public Reach reach() {
        return reach;
    }

    public Kind kind() {
        return kind;
    }

    /** The words of a choice or a set, in the order of their values; else empty. */
    public List<String> words() {
        return words;
    }

    /** The least value. */
    public long min() {
        return min;
    }

    /** The largest value. */
    public long max() {
        return max;
    }

    /**
     * The key of {@code conf/standalone.yml} whose value is the default; empty when {@link #defaultValue} is the
     * default.
     */
    public String nodeKey() {
        return nodeKey;
    }

    /** The default; meaningless with a {@link #nodeKey}. */
    public long defaultValue() {
        return defaultValue;
    }

    /** A description for people. */
    public String meaning() {
        return meaning;
    }

    /** The setting with this key. */
    public static Optional<TenantSetting> of(String key) {
        return Arrays.stream(values()).filter(each -> each.key.equals(key)).findFirst();
    }

    /**
     * The value of a text.
     *
     * @throws IllegalArgumentException whose message says what it must be
     */
    public long parse(String text) {
        return switch (kind) {
            case NUMBER -> checked(number(text));
            case FLAG ->
                switch (text) {
                    case "true" -> 1;
                    case "false" -> 0;
                    default -> throw new IllegalArgumentException("must be true or false");
                };
            case CHOICE -> place(text);
            case SET -> set(text);
        };
    }

    private long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("must be " + valid(), e);
        }
    }

    private int place(String word) {
        int place = words.indexOf(word);
        if (place < 0) {
            throw new IllegalArgumentException("must be " + valid());
        }
        return place;
    }

    private long set(String text) {
        long set = 0;
        for (String word : text.split("[,\\n]", -1)) {
            set |= 1L << place(word.strip());
        }
        return set;
    }

    /** @throws IllegalArgumentException when it is out of bounds */
    long checked(long value) {
        if (value < min || value > max) {
            throw new IllegalArgumentException("must be " + valid());
        }
        return value;
    }

    /** How a value is written. */
    public String text(long value) {
        return switch (kind) {
            case NUMBER -> String.valueOf(value);
            case FLAG -> value == 0 ? "false" : "true";
            case CHOICE -> words.get((int) value);
            case SET -> {
                List<String> chosen = new ArrayList<>();
                for (int i = 0; i < words.size(); i++) {
                    if ((value & (1L << i)) != 0) {
                        chosen.add(words.get(i));
                    }
                }
                yield String.join(", ", chosen);
            }
        };
    }

    /** Which values are valid, for people. */
    public String valid() {
        return switch (kind) {
            case NUMBER -> max >= Integer.MAX_VALUE && max != 0xFFFF_FFFFL ? "at least " + min : min + " to " + max;
            case FLAG -> "true or false";
            case CHOICE -> "one of " + String.join(", ", words);
            case SET -> "out of " + String.join(", ", words);
        };
    }
}
