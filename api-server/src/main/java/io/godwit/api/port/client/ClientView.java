package io.godwit.api.port.client;

/**
 * A client that is connected or has a session, as its node saw it at the request.
 *
 * @param tenant {@code default} where no tenant was set
 * @param userName empty for none
 * @param address of the peer, without port: a numeric IPv4 or IPv6 address; empty while not connected
 * @param port of the peer; 0 while not connected
 * @param node store id of the node that holds the connection, or, while not connected, the session
 * @param listener kind, address and port that the client came to, such as {@code tcp 0.0.0.0:1883}; empty while not
 *     connected
 * @param protocolLevel 3 (MQTT 3.1), 4 (3.1.1) or 5 (5.0)
 * @param cleanStart of its CONNECT
 * @param sessionExpirySeconds 0 to 4,294,967,295, where the latter means never
 * @param keepAliveSeconds 0 for none
 * @param connectedAtMillis wall time since 1970; 0 while not connected
 * @param queuedMessages that wait to be sent
 * @param inFlightIn messages of QoS 1 and 2 from the client whose exchange is not complete
 * @param inFlightOut messages of QoS 1 and 2 to the client whose exchange is not complete
 * @param subscriptions number of filters
 */
public record ClientView(
        String tenant,
        String clientId,
        String userName,
        String address,
        int port,
        String node,
        String listener,
        int protocolLevel,
        boolean cleanStart,
        long sessionExpirySeconds,
        int keepAliveSeconds,
        long connectedAtMillis,
        boolean connected,
        long queuedMessages,
        int inFlightIn,
        int inFlightOut,
        int subscriptions) {
    public ClientReference key() {
        return new ClientReference(tenant, clientId);
    }
}
