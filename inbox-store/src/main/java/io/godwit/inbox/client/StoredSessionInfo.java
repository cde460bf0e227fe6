package io.godwit.inbox.client;

import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of a session, as its range had it at one moment. What its leader has not written yet, such as
 * acknowledgements of the last moments, does not show.
 *
 * @param client of the connection that has it or had it last
 * @param isAttached whether a connection has it; after the death of that connection's node for some seconds more
 * @param expirySeconds 1 to 4,294,967,295, the last meaning never
 * @param detachedAtMillis since the epoch, when its time began to run; 0 while attached
 * @param endsAtMillis since the epoch; {@link Long#MAX_VALUE} while attached, and for never
 * @param messages in its queue that its client has not acknowledged to the end
 * @param payloadBytes of these messages, about
 * @param inflight of these, those of QoS 1 and 2 that may have been sent
 * @param kept what a session of the broker itself is there for; null of clients
 */
public record StoredSessionInfo(
        ClientInfo client,
        boolean isAttached,
        long expirySeconds,
        long detachedAtMillis,
        long endsAtMillis,
        boolean hasWill,
        int subscriptions,
        int messages,
        long payloadBytes,
        int inflight,
        @Nullable KeptWill kept) {
    /**
     * A will that waits for its time.
     *
     * @param dueAtMillis since the epoch
     */
    public record KeptWill(String topic, int qos, long payloadBytes, long dueAtMillis) {}

    /** Of a client. */
    public StoredSessionInfo(
            ClientInfo client,
            boolean isAttached,
            long expirySeconds,
            long detachedAtMillis,
            long endsAtMillis,
            boolean hasWill,
            int subscriptions,
            int messages,
            long payloadBytes,
            int inflight) {
        this(
                client,
                isAttached,
                expirySeconds,
                detachedAtMillis,
                endsAtMillis,
                hasWill,
                subscriptions,
                messages,
                payloadBytes,
                inflight,
                null);
    }

    /** Of the texts that the client has chosen. */
    public static int chars(ClientInfo client) {
        String userName = client.userName();
        return client.clientId().value().length() + (userName == null ? 0 : userName.length());
    }
}
