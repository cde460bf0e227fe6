package io.godwit.mqtt.client;

import io.godwit.plugin.client.ClientInfo;

/**
 * A connection as it was at the moment when its event loop looked.
 *
 * @param listener {@code transport host:port} of the listener it came through, as configured
 * @param cleanStart Clean Start of 5.0, Clean Session of 3.1.1
 * @param sessionExpirySeconds how long its session lasts without it: 0 to 4,294,967,295, the largest meaning for ever
 * @param keepAliveSeconds the one that holds; 0 is off
 * @param connectedAtMillis of the wall clock of its node, since the epoch
 * @param inflightIn publishes of QoS 1 and 2 of the client whose handshake is under way
 * @param inflightOut messages of QoS 1 and 2 to the client whose handshake is under way
 * @param queued messages that wait on this node for the client to take more; what the inbox store has beyond that does
 *     not count
 * @param subscriptions how many it has or is about to have
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
