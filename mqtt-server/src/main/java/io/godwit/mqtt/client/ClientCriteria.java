package io.godwit.mqtt.client;

import io.godwit.inbox.client.catalog.IdPattern;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import org.jspecify.annotations.Nullable;

/**
 * Selects the clients that meet every criterion given.
 *
 * @param tenant null for any
 * @param clientId a pattern for the client id
 * @param userName exactly, empty meaning none; null for any
 * @param address of the peer; null for any
 * @param protocolLevel 3, 4 or 5; 0 for any
 * @param leastQueued of {@link ConnectedClient#queued}
 */
public record ClientCriteria(
        @Nullable TenantId tenant,
        IdPattern clientId,
        @Nullable String userName,
        @Nullable AddressPattern address,
        int protocolLevel,
        long leastQueued) {
    /** All clients. */
    public static final ClientCriteria ALL = new ClientCriteria(null, IdPattern.ANY, null, null, 0, 0);

    public boolean matches(ConnectedClient client) {
        return matches(client.info()) && client.queued() >= leastQueued;
    }

    /** Whether the values that stay the same during a connection match. */
    boolean matches(ClientInfo client) {
        return (tenant == null || tenant.equals(client.tenant()))
                && clientId.matches(client.clientId().value())
                && (userName == null || userName.equals(client.userName() == null ? "" : client.userName()))
                && (address == null || address.matches(PeerAddress.hostOf(client.remoteAddress())))
                && (protocolLevel == 0 || protocolLevel == client.protocolLevel());
    }
}
