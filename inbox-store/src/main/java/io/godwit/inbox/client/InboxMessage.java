package io.godwit.inbox.client;

import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;

/**
 * One delivery out of an inbox.
 *
 * @param sequence identifies the message in every acknowledgement; ascending; without meaning for QoS 0
 * @param packetId 1 + sequence mod 65,535; 0 for QoS 0
 * @param redelivered whether it may have been sent before: the DUP flag [MQTT5-3.3.1-1]
 * @param released its PUBREC has been committed: send PUBREL, not PUBLISH [MQTT5-4.4.0-1]; {@code message} then has an
 *     empty payload
 * @param subscriptionIds shared, never modified
 */
@SuppressWarnings("ArrayRecordComponent")
public record InboxMessage(
        long sequence,
        int packetId,
        Message message,
        Qos qos,
        boolean retain,
        boolean redelivered,
        boolean released,
        int[] subscriptionIds) {}
