package io.godwit.mqtt.session;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.mqtt.topic.TopicLimits;

/**
 * Limits of a session.
 *
 * @param receiveMaximum publishes of QoS 1 and 2 that a client may have under way towards the broker, announced to 5.0
 *     and enforced by pausing the reading for 3.1.1; 1 to 65,535
 * @param sendWindow QoS 1 and 2 messages under way towards a client that names no Receive Maximum, and the most for one
 *     that does; 1 to 65,535
 * @param topicAliasMaximum aliases a client may set up towards the broker, and the most the broker sets up towards it;
 *     0 to 65,535
 * @param maxQueuedMessages messages of QoS 1 and 2 that wait in a live session beyond the send window; at least 1
 * @param maxQueuedBytes what they take on the heap together, and apart from that what is sent of shared subscriptions
 *     and not acknowledged; at least 1; a single message may be larger
 * @param dropsOldest what a full queue does; the newest is dropped otherwise
 * @param maxExpirySeconds the longest Session Expiry Interval, and the one of 3.1.1; 0 to 4,294,967,295, the last
 *     meaning never
 * @param serverKeepAliveSeconds imposed on 5.0 clients; 0 leaves the client's own
 * @param maxUnstoredBytes payload bytes of one connection's publishes not yet stored at which its reading pauses; at
 *     least 1
 * @param maxUnstoredNodeBytes the same over all connections, held in equal shares by the event loops; at least 1
 * @param slowConsumerTimeoutSeconds after which a client that reads too slowly is disconnected; 0 for never
 * @param acknowledgesPublishes false where nobody can promise that every matching session gets them: publishes of
 *     QoS 1 and 2 are refused
 */
public record SessionConfig(
        int receiveMaximum,
        int sendWindow,
        int topicAliasMaximum,
        int maxQueuedMessages,
        long maxQueuedBytes,
        boolean dropsOldest,
        long maxExpirySeconds,
        int serverKeepAliveSeconds,
        long maxUnstoredBytes,
        long maxUnstoredNodeBytes,
        TopicLimits limits,
        int slowConsumerTimeoutSeconds,
        boolean acknowledgesPublishes) {

    /** Every limit at its default. */
    public static final SessionConfig DEFAULTS = new SessionConfig(
            1000,
            1000,
            16,
            1000,
            64 << 20,
            false,
            AttachRequest.NEVER,
            0,
            16 << 20,
            256 << 20,
            TopicLimits.DEFAULTS,
            0);

    /** Of a node that reaches every session. */
    public SessionConfig(
            int receiveMaximum,
            int sendWindow,
            int topicAliasMaximum,
            int maxQueuedMessages,
            long maxQueuedBytes,
            boolean dropsOldest,
            long maxExpirySeconds,
            int serverKeepAliveSeconds,
            long maxUnstoredBytes,
            long maxUnstoredNodeBytes,
            TopicLimits limits,
            int slowConsumerTimeoutSeconds) {
        this(
                receiveMaximum,
                sendWindow,
                topicAliasMaximum,
                maxQueuedMessages,
                maxQueuedBytes,
                dropsOldest,
                maxExpirySeconds,
                serverKeepAliveSeconds,
                maxUnstoredBytes,
                maxUnstoredNodeBytes,
                limits,
                slowConsumerTimeoutSeconds,
                true);
    }

    public SessionConfig {
        inRange("receiveMaximum", receiveMaximum, 1, 65_535);
        inRange("sendWindow", sendWindow, 1, 65_535);
        inRange("topicAliasMaximum", topicAliasMaximum, 0, 65_535);
        inRange("maxQueuedMessages", maxQueuedMessages, 1, Integer.MAX_VALUE);
        inRange("maxQueuedBytes", maxQueuedBytes, 1, Long.MAX_VALUE);
        inRange("maxExpirySeconds", maxExpirySeconds, 0, AttachRequest.NEVER);
        inRange("serverKeepAliveSeconds", serverKeepAliveSeconds, 0, 65_535);
        inRange("maxUnstoredBytes", maxUnstoredBytes, 1, Long.MAX_VALUE);
        inRange("slowConsumerTimeoutSeconds", slowConsumerTimeoutSeconds, 0, Integer.MAX_VALUE);
        inRange("maxUnstoredNodeBytes", maxUnstoredNodeBytes, 1, Long.MAX_VALUE);
    }

    /** The same, but for {@link #acknowledgesPublishes}. */
    public SessionConfig acknowledging(boolean acknowledges) {
        return new SessionConfig(
                receiveMaximum,
                sendWindow,
                topicAliasMaximum,
                maxQueuedMessages,
                maxQueuedBytes,
                dropsOldest,
                maxExpirySeconds,
                serverKeepAliveSeconds,
                maxUnstoredBytes,
                maxUnstoredNodeBytes,
                limits,
                slowConsumerTimeoutSeconds,
                acknowledges);
    }

    private static void inRange(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be " + least + " to " + most + ", was " + value);
        }
    }
}
