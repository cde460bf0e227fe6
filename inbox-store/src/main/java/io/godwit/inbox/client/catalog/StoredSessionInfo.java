package io.godwit.inbox.client.catalog;

import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/**
 * The stored state of a session, as its range had it at one moment. Changes that its leader has not written yet, such
 * as recent acknowledgements, are missing.
 *
 * @param client of the present or last connection
 * @param isAttached whether a connection has the session; after the death of that connection's node true for some more
 *     seconds
 * @param expirySeconds 1 to 4,294,967,295, the last meaning never
 * @param detachedAtMillis since the epoch, when the Session Expiry Interval began to run; 0 while attached
 * @param endsAtMillis since the epoch; {@link Long#MAX_VALUE} while attached, and for never
 * @param messages in its queue that its client has not acknowledged to the end
 * @param payloadBytes of these messages, approximate
 * @param inflight how many of these messages were perhaps sent at QoS 1 or 2
 * @param kept the will of a session that the broker keeps for it; null for sessions of clients
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
     * A will that waits until it is due.
     *
     * @param dueAtMillis since the epoch
     */
    public record KeptWill(String topic, int qos, long payloadBytes, long dueAtMillis) {}

    /** The session of a client. */
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

    /** Characters in the texts that the client chose. */
    public static int chars(ClientInfo client) {
        String userName = client.userName();
        return client.clientId().value().length() + (userName == null ? 0 : userName.length());
    }
}
