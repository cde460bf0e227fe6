package io.godwit.inbox;

/**
 * What may wait for sessions of one tenant, as {@link InboxConfig} has it for the others.
 *
 * @param maxQueuedMessages at least 1; for QoS 0 apart
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
