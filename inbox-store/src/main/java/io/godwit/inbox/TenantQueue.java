package io.godwit.inbox;

/**
 * Queue limits of one tenant, in place of those of {@link InboxConfig}.
 *
 * @param maxQueuedMessages at least 1; QoS 0 messages have the same limit, counted apart
 * @param maxBytesOfTenant bytes of payloads that may wait for all sessions of the tenant; {@link Long#MAX_VALUE} for no
 *     limit
 */
public record TenantQueue(
        int maxQueuedMessages, InboxConfig.DropPolicy dropPolicy, boolean queueQos0, long maxBytesOfTenant) {
    public TenantQueue {
        if (maxQueuedMessages < 1) {
            throw new IllegalArgumentException("maxQueuedMessages must be at least 1, was " + maxQueuedMessages);
        }
    }
}
