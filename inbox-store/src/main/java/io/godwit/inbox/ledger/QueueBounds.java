package io.godwit.inbox.ledger;

/**
 * What may wait for a session.
 *
 * @param maxQueued QoS 1 and 2 messages
 * @param dropOldest at that limit the oldest waiting message goes, else the new one
 * @param maxQos0 QoS 0 messages kept, 0 for none
 * @param maxTenantBytes bytes of payloads that wait for all sessions of its tenant, {@link #ANY_BYTES} for no limit
 */
public record QueueBounds(int maxQueued, boolean dropOldest, int maxQos0, long maxTenantBytes) {
    public static final long ANY_BYTES = Long.MAX_VALUE;

    /** Whatever waits for the others. */
    public QueueBounds(int maxQueued, boolean dropOldest, int maxQos0) {
        this(maxQueued, dropOldest, maxQos0, ANY_BYTES);
    }
}
