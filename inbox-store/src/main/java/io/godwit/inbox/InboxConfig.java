package io.godwit.inbox;

import java.time.Duration;

/**
 * Limits and behaviour of the queues of persistent sessions.
 *
 * @param maxQueuedMessages QoS 1 and 2 messages that may wait for a session; messages that were sent and are not
 *     acknowledged do not count
 * @param dropPolicy which message is dropped when the queue is full
 * @param queueQos0 whether QoS 0 messages are kept for a session that is not connected
 * @param maxQueuedQos0 most QoS 0 messages in a queue; beyond it the oldest is dropped
 * @param maxQueuedQos0Bytes most heap bytes of QoS 0 messages that wait for the client of one connected session, and
 *     are never stored; beyond it the oldest is dropped
 * @param maxSessionExpiry upper bound on the Session Expiry Interval that a client may ask for, in whole seconds up to
 *     4,294,967,295, the last meaning without bound
 * @param earlyPush sends a QoS 1 message to a connected client while its insert waits for the disk; if the client
 *     acknowledges first, the write is cancelled
 */
public record InboxConfig(
        int maxQueuedMessages,
        DropPolicy dropPolicy,
        boolean queueQos0,
        int maxQueuedQos0,
        long maxQueuedQos0Bytes,
        Duration maxSessionExpiry,
        boolean earlyPush) {
    /** Default of {@link #maxQueuedQos0Bytes}. */
    public static final long DEFAULT_QOS0_BYTES = 4L << 20;

    /** Which message is dropped when a queue is full. */
    public enum DropPolicy {
        NEWEST,
        OLDEST
    }

    private static final long NEVER_SECONDS = 0xFFFF_FFFFL;

    public static final InboxConfig DEFAULT =
            new InboxConfig(1000, DropPolicy.NEWEST, true, 1000, Duration.ofSeconds(NEVER_SECONDS), true);

    /** With {@link #DEFAULT_QOS0_BYTES}. */
    public InboxConfig(
            int maxQueuedMessages,
            DropPolicy dropPolicy,
            boolean queueQos0,
            int maxQueuedQos0,
            Duration maxSessionExpiry,
            boolean earlyPush) {
        this(maxQueuedMessages, dropPolicy, queueQos0, maxQueuedQos0, DEFAULT_QOS0_BYTES, maxSessionExpiry, earlyPush);
    }

    public InboxConfig {
        if (maxQueuedMessages < 1) {
            throw new IllegalArgumentException("maxQueuedMessages must be at least 1, was " + maxQueuedMessages);
        }
        if (maxQueuedQos0 < 1) {
            throw new IllegalArgumentException("maxQueuedQos0 must be at least 1, was " + maxQueuedQos0);
        }
        if (maxQueuedQos0Bytes < 1) {
            throw new IllegalArgumentException("maxQueuedQos0Bytes must be at least 1, was " + maxQueuedQos0Bytes);
        }
        if (maxSessionExpiry.isNegative() || maxSessionExpiry.toSeconds() > NEVER_SECONDS) {
            throw new IllegalArgumentException(
                    "maxSessionExpiry must be 0 to " + NEVER_SECONDS + " seconds, was " + maxSessionExpiry);
        }
    }
}
