package io.godwit.mqtt.session.core;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.mqtt.tenant.TenantPolicy;
import io.godwit.mqtt.topic.TopicLimits;
import io.godwit.plugin.tenant.TenantSetting;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;

/**
 * Limits of a session.
 *
 * @param maxClientIdBytes of a client id in UTF-8, 23 to 65,535. Every message to another node names its publisher,
 *     and every QoS 2 message is recorded under its client id, so a long one can cost more than the messages
 */
public record SessionConfig(
        Windows windows,
        Queue queue,
        Intake intake,
        Times times,
        Homes homes,
        TopicLimits limits,
        int maxClientIdBytes) {
    /** The length that a broker must accept [MQTT5-3.1.3-5]. */
    private static final int LEAST_CLIENT_ID_BYTES = 23;

    private static final int BYTES_OF_A_CHAR = 3;

    /** Every limit at its default. */
    public static final SessionConfig DEFAULTS = new SessionConfig(
            new Windows(1000, 1000, 16),
            new Queue(1000, 64 << 20, false),
            Intake.DEFAULTS,
            new Times(AttachRequest.NEVER, 0, 0),
            Homes.DEFAULTS,
            TopicLimits.DEFAULTS,
            1_024);

    public SessionConfig {
        inRange("maxClientIdBytes", maxClientIdBytes, LEAST_CLIENT_ID_BYTES, 65_535);
    }

    /** Whether the client id is short enough. */
    public boolean allowsClientId(String id) {
        return (long) id.length() * BYTES_OF_A_CHAR <= maxClientIdBytes
                || id.getBytes(StandardCharsets.UTF_8).length <= maxClientIdBytes;
    }

    /**
     * How much may be under way.
     *
     * @param receiveMaximum QoS 1 and 2 publishes that a client may have under way towards the broker, announced to
     *     5.0 clients and enforced for 3.1.1 by pausing reads; 1 to 65,535
     * @param sendWindow QoS 1 and 2 messages under way towards a client without a Receive Maximum, and the upper
     *     limit for one with it; 1 to 65,535
     * @param topicAliasMaximum aliases that a client may set up towards the broker, and the most that the broker
     *     sets up towards it; 0 to 65,535
     */
    public record Windows(int receiveMaximum, int sendWindow, int topicAliasMaximum) {
        public Windows {
            inRange("receiveMaximum", receiveMaximum, 1, 65_535);
            inRange("sendWindow", sendWindow, 1, 65_535);
            inRange("topicAliasMaximum", topicAliasMaximum, 0, 65_535);
        }
    }

    /**
     * How much may wait in a live session beyond the send window.
     *
     * @param maxMessages QoS 1 and 2 messages; at least 1
     * @param maxBytes heap of these together; separately, also the limit for unacknowledged messages of shared
     *     subscriptions; at least 1; a single message may be larger
     * @param dropsOldest whether a full queue drops the oldest message; otherwise it drops the newest
     */
    public record Queue(int maxMessages, long maxBytes, boolean dropsOldest) {
        public Queue {
            inRange("maxMessages", maxMessages, 1, Integer.MAX_VALUE);
            inRange("maxBytes", maxBytes, 1, Long.MAX_VALUE);
        }
    }

    /**
     * Publishes that are not yet stored.
     *
     * @param maxUnstoredBytes of one connection, in bytes, at which its reading pauses; at least 1
     * @param maxUnstoredNodeBytes the same over all connections, held in equal shares by the event loops; at least 1
     */
    public record Intake(long maxUnstoredBytes, long maxUnstoredNodeBytes) {
        public static final Intake DEFAULTS = new Intake(16 << 20, 256 << 20);
        private static final int UNSTORED_SHARE = 8;

        public Intake {
            inRange("maxUnstoredBytes", maxUnstoredBytes, 1, Long.MAX_VALUE);
            inRange("maxUnstoredNodeBytes", maxUnstoredNodeBytes, 1, Long.MAX_VALUE);
        }

        /**
         * The budget over all connections, in bytes. Capped by the heap, since 256 MiB would be most of a small one.
         */
        public long ofNode() {
            return Math.min(maxUnstoredNodeBytes, Runtime.getRuntime().maxMemory() / UNSTORED_SHARE);
        }
    }

    /**
     * All in seconds.
     *
     * @param maxExpiry the longest Session Expiry Interval, and the one of 3.1.1; 0 to 4,294,967,295, the last meaning
     *     never
     * @param serverKeepAlive imposed on 5.0 clients; 0 leaves the client's own
     * @param slowConsumerTimeout after which a client that reads too slowly is disconnected; 0 for never
     */
    public record Times(long maxExpiry, int serverKeepAlive, int slowConsumerTimeout) {
        public Times {
            inRange("maxExpiry", maxExpiry, 0, AttachRequest.NEVER);
            inRange("serverKeepAlive", serverKeepAlive, 0, 65_535);
            inRange("slowConsumerTimeout", slowConsumerTimeout, 0, Integer.MAX_VALUE);
        }
    }

    /**
     * How long a connection waits for the next leader of its inbox, in seconds. Checked after each attempt, which the
     * store ends by itself.
     *
     * @param movedPatience when the last leader stopped normally; at least 1
     * @param lostPatience when the node of the last leader was lost: until the others declare it dead and elect a
     *     leader; at least 1
     */
    public record Homes(int movedPatience, int lostPatience) {
        public static final Homes DEFAULTS = new Homes(20, 30);

        public Homes {
            inRange("movedPatience", movedPatience, 1, Integer.MAX_VALUE);
            inRange("lostPatience", lostPatience, 1, Integer.MAX_VALUE);
        }
    }

    /** The node's values of the settings that a tenant may change. */
    TenantPolicy ofNode(boolean allowsExclusive) {
        Map<TenantSetting, Long> values = new EnumMap<>(TenantSetting.class);
        values.put(TenantSetting.MAX_TOPIC_LEVELS, (long) limits.maxLevels());
        values.put(TenantSetting.MAX_TOPIC_BYTES, (long) limits.maxBytes());
        values.put(TenantSetting.MAX_CLIENT_ID_BYTES, (long) maxClientIdBytes);
        values.put(TenantSetting.RECEIVE_MAXIMUM, (long) windows.receiveMaximum());
        values.put(TenantSetting.SEND_MAXIMUM, (long) windows.sendWindow());
        values.put(TenantSetting.TOPIC_ALIAS_MAXIMUM, (long) windows.topicAliasMaximum());
        values.put(TenantSetting.MAX_FILTERS, (long) limits.maxFiltersPerSession());
        values.put(TenantSetting.MAX_FILTER_PATTERNS, (long) limits.maxPatternsPerSession());
        values.put(TenantSetting.MAX_FILTERS_PER_SUBSCRIBE, (long) limits.maxFiltersPerSubscribe());
        values.put(TenantSetting.EXCLUSIVE, allowsExclusive ? 1L : 0L);
        values.put(TenantSetting.MAX_EXPIRY_SECONDS, times.maxExpiry());
        values.put(TenantSetting.SERVER_KEEP_ALIVE_SECONDS, (long) times.serverKeepAlive());
        values.put(TenantSetting.SLOW_CONSUMER_TIMEOUT_SECONDS, (long) times.slowConsumerTimeout());
        values.put(TenantSetting.MAX_QUEUED_MESSAGES, (long) queue.maxMessages());
        values.put(TenantSetting.OVERFLOW_POLICY, queue.dropsOldest() ? 1L : 0L);
        values.put(TenantSetting.MAX_QUEUED_BYTES, queue.maxBytes());
        return TenantPolicy.ofNode(values);
    }

    /** The same with other windows. */
    public SessionConfig with(Windows other) {
        return new SessionConfig(other, queue, intake, times, homes, limits, maxClientIdBytes);
    }

    /** The same with another queue. */
    public SessionConfig with(Queue other) {
        return new SessionConfig(windows, other, intake, times, homes, limits, maxClientIdBytes);
    }

    /** The same with other intake limits. */
    public SessionConfig with(Intake other) {
        return new SessionConfig(windows, queue, other, times, homes, limits, maxClientIdBytes);
    }

    /** The same with other times. */
    public SessionConfig with(Times other) {
        return new SessionConfig(windows, queue, intake, other, homes, limits, maxClientIdBytes);
    }

    /** The same with other waits for leaders of inboxes. */
    public SessionConfig with(Homes other) {
        return new SessionConfig(windows, queue, intake, times, other, limits, maxClientIdBytes);
    }

    /** The same with other limits of topics. */
    public SessionConfig with(TopicLimits other) {
        return new SessionConfig(windows, queue, intake, times, homes, other, maxClientIdBytes);
    }

    /** The same with another limit of client ids. */
    public SessionConfig withClientIds(int maxBytes) {
        return new SessionConfig(windows, queue, intake, times, homes, limits, maxBytes);
    }

    private static void inRange(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be " + least + " to " + most + ", was " + value);
        }
    }
}
