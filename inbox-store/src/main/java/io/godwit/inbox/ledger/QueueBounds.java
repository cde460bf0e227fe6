package io.godwit.inbox.ledger;

/**
 * Limits on the messages that wait for one session.
 *
 * @param maxQueued QoS 1 and 2 messages
 * @param dropOldest whether a full queue drops its oldest waiting message rather than the new one
 * @param maxQos0 QoS 0 messages kept, 0 for none
 */
public record QueueBounds(int maxQueued, boolean dropOldest, int maxQos0) {}
