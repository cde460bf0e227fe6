package io.godwit.inbox.ledger;

/**
 * Limits on the messages that wait for one session.
 *
 * @param maxQueued QoS 1 and 2 messages
 * @param dropOldest whether a full queue drops its oldest waiting message rather than the new one
 * @param maxQos0 QoS 0 messages kept, 0 for none
 * @param maxTenantBytes bytes of payloads that may wait for all sessions of the tenant; {@link #ANY_BYTES} for no
 *     limit
 */
public record QueueBounds(int maxQueued, boolean dropOldest, int maxQos0, long maxTenantBytes) {
    public static final long ANY_BYTES = Long.MAX_VALUE;

    /** Without a limit of the tenant. */
    public QueueBounds(int maxQueued, boolean dropOldest, int maxQos0) {
        this(maxQueued, dropOldest, maxQos0, ANY_BYTES);
    }
}
