package io.godwit.inbox;

import java.time.Duration;

/**
 * How queues of persistent sessions behave.
 *
 * @param maxQueuedMessages QoS 1 and 2 messages that may wait for a session; those sent and not acknowledged do not
 *     wait
 * @param dropPolicy what goes when that many wait
 * @param queueQos0 whether QoS 0 messages are kept for a session that is not connected
 * @param maxQueuedQos0 how many; beyond it the oldest goes
 * @param maxQueuedQos0Bytes what those take on the heap that wait for the client of a connected session, which nobody
 *     stores; beyond it the oldest goes
 * @param maxSessionExpiry upper bound on the Session Expiry Interval that a client may ask for, in whole seconds up to
 *     4,294,967,295, the last meaning without bound
 * @param earlyPush sends a QoS 1 message to a connected client while its insert waits for the disk; when the client
 *     acknowledges it first it is never written
 */
public record InboxConfig(
        int maxQueuedMessages,
        DropPolicy dropPolicy,
        boolean queueQos0,
        int maxQueuedQos0,
        long maxQueuedQos0Bytes,
        Duration maxSessionExpiry,
        boolean earlyPush) {
    /** See {@link #maxQueuedQos0Bytes}. */
    public static final long DEFAULT_QOS0_BYTES = 4L << 20;

    /** Which message a full queue gives up. */
    public enum DropPolicy {
        NEWEST,
        OLDEST
    }

    private static final long NEVER_SECONDS = 0xFFFF_FFFFL;

    /** The defaults. */
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
