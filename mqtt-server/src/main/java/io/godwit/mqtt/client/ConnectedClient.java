package io.godwit.mqtt.client;

import io.godwit.plugin.client.ClientInfo;

/**
 * A connection, as its event loop saw it at one moment.
 *
 * @param listener {@code transport host:port} of the listener it came through, as configured
 * @param cleanStart Clean Start of 5.0, Clean Session of 3.1.1
 * @param sessionExpirySeconds how long the session outlasts the connection: 0 to 4,294,967,295, the largest meaning
 *     for ever
 * @param keepAliveSeconds the value in force; 0 is off
 * @param connectedAtMillis of the wall clock of its node, since the epoch
 * @param inflightIn QoS 1 and 2 publishes of the client whose handshake is under way
 * @param inflightOut QoS 1 and 2 messages to the client whose handshake is under way
 * @param queued messages that wait on this node until the client takes more; those that only the inbox store has do
 *     not count
 * @param subscriptions number of subscriptions, including those under way
 */
public record ConnectedClient(
        ClientInfo info,
        String listener,
        boolean cleanStart,
        long sessionExpirySeconds,
        int keepAliveSeconds,
        long connectedAtMillis,
        int inflightIn,
        int inflightOut,
        int queued,
        int subscriptions)
        implements ClientPage.Entry {

    @Override
    public ClientKey key() {
        return ClientKey.of(info);
    }
}
