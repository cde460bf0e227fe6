package io.godwit.inbox.ledger;

/**
 * What may wait for a session.
 *
 * @param maxQueued QoS 1 and 2 messages
 * @param dropOldest at that limit the oldest waiting message goes, else the new one
 * @param maxQos0 QoS 0 messages kept, 0 for none
 */
public record QueueBounds(int maxQueued, boolean dropOldest, int maxQos0) {}
