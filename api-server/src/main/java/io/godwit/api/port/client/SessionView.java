package io.godwit.api.port.client;

/**
 * A stored session: it outlives its connections, and may have one now or not.
 *
 * @param userName of its present or last connection; empty for none
 * @param protocolLevel of that connection: 3 (MQTT 3.1), 4 (3.1.1) or 5 (5.0)
 * @param home store id of the node that leads it; empty while none is known
 * @param connected whether it has a connection; stays true for some seconds after that connection's node died
 * @param expirySeconds 1 to 4,294,967,295, where the latter means never
 * @param disconnectedAtMillis wall time since 1970; 0 while connected
 * @param endsAtMillis wall time since 1970; -1 for never, and while connected
 * @param queuedMessages messages whose exchange with the client is not complete
 * @param queuedBytes of their payloads, about
 * @param inFlight the QoS 1 and 2 messages among them that may have been sent
 * @param subscriptions number of filters
 */
public record SessionView(
        String tenant,
        String clientId,
        String userName,
        int protocolLevel,
        String home,
        boolean connected,
        long expirySeconds,
        long disconnectedAtMillis,
        long endsAtMillis,
        boolean hasWill,
        long queuedMessages,
        long queuedBytes,
        int inFlight,
        int subscriptions) {
    public ClientReference key() {
        return new ClientReference(tenant, clientId);
    }
}
