package io.godwit.inbox.ledger;

import io.godwit.plugin.client.TenantId;

/**
 * What the leader is told about its queues; checked where the user's configuration is.
 *
 * @param ofNode what may wait for a session whose tenant has no bounds of its own
 * @param tenants the bounds of those that have
 * @param maxQos0Bytes heap of those that wait in memory for the client of a connected session; one larger message waits
 *     alone
 * @param maxExpirySeconds upper bound on what a client may ask for
 * @param earlyPush show a QoS 1 message to a waiting client while its insert waits for the disk
 * @param maxIdle detached inboxes a range keeps in memory
 * @param attachedWaitMillis in a cluster, how long a new leader waits for the connections of sessions that are stored
 *     as attached, before it takes them for disconnected; 0 alone, where those of another process have died with it
 */
public record QueueSettings(
        QueueBounds ofNode,
        TenantQueues tenants,
        long maxQos0Bytes,
        long maxExpirySeconds,
        boolean earlyPush,
        int maxIdle,
        long attachedWaitMillis) {
    /** How long a connection is waited for on a node that is alone. */
    public static final long WAIT_ALONE_MILLIS = 15_000;

    /** Alone. */
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

    /** What may wait for sessions of a tenant. */
    public QueueBounds boundsOf(TenantId tenant) {
        return tenants.of(tenant, ofNode);
    }

    /** The same in a cluster. */
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

    /** The session expiry that a client gets which asks for so much. */
    public long boundedExpiry(long askedSeconds) {
        return Math.min(askedSeconds, maxExpirySeconds);
    }
}
