package io.godwit.inbox.format;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;

/**
 * A will in the session record. Once it is due, that time becomes the receive time of its message, so that a message
 * retained later on the topic counts as newer.
 *
 * @param incarnation of the session whose connection left it
 * @param number of its delivery token
 * @param publisher the connection that left it
 */
public record StoredWill(long incarnation, long number, ClientInfo publisher, Message message, long delaySeconds) {
    public StoredWill owedSince(long nowMillis) {
        Message owed = new Message(
                message.topic(), message.payload(), message.qos(), message.retain(), nowMillis, message.properties());
        return new StoredWill(incarnation, number, publisher, owed, delaySeconds);
    }
}
