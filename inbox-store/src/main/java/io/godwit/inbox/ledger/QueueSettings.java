package io.godwit.inbox.ledger;

import io.godwit.plugin.client.TenantId;

/**
 * Settings of queues, for the leader. Values are checked where the user's configuration is read.
 *
 * @param ofNode bounds for tenants that have none of their own
 * @param tenants bounds of the tenants that have their own
 * @param maxQos0Bytes heap bytes of QoS 0 messages that wait in memory for the client of a connected session; a single
 *     message may be larger
 * @param maxExpirySeconds upper bound on the Session Expiry Interval that a client may ask for
 * @param earlyPush whether to send a QoS 1 message to a waiting client while its insert waits for the disk
 * @param maxIdle detached inboxes that a range keeps in memory
 * @param attachedWaitMillis in a cluster, how long a new leader waits for the connections of sessions that are stored
 *     as attached, before they count as disconnected; 0 on a node that is alone, where connections end with the process
 */
public record QueueSettings(
        QueueBounds ofNode,
        TenantQueues tenants,
        long maxQos0Bytes,
        long maxExpirySeconds,
        boolean earlyPush,
        int maxIdle,
        long attachedWaitMillis) {
    /** How long a leader waits for a connection on a node that is alone. */
    public static final long WAIT_ALONE_MILLIS = 15_000;

    /** For a node that is alone. */
    public QueueSettings(
            int maxQueued,
            boolean dropOldest,
            int maxQos0,
            long maxQos0Bytes,
            long maxExpirySeconds,
            boolean earlyPush,
            int maxIdle) {
        this(
                new QueueBounds(maxQueued, dropOldest, maxQos0),
                new TenantQueues(),
                maxQos0Bytes,
                maxExpirySeconds,
                earlyPush,
                maxIdle,
                0);
    }

    /** The queue bounds of a tenant. */
    public QueueBounds boundsOf(TenantId tenant) {
        return tenants.of(tenant, ofNode);
    }

    /** The same settings for a cluster. */
    public QueueSettings waiting(long forAttachedMillis) {
        return new QueueSettings(
                ofNode, tenants, maxQos0Bytes, maxExpirySeconds, earlyPush, maxIdle, forAttachedMillis);
    }

    /** How long a leader waits for the connection of a session whose last leader was stopped in good order. */
    public long movedWaitMillis() {
        return isClustered() ? attachedWaitMillis : WAIT_ALONE_MILLIS;
    }

    /** Whether connections of its sessions may be on other nodes. */
    public boolean isClustered() {
        return attachedWaitMillis > 0;
    }

    /** The session expiry for a client that asks for {@code askedSeconds}. */
    public long boundedExpiry(long askedSeconds) {
        return Math.min(askedSeconds, maxExpirySeconds);
    }
}
