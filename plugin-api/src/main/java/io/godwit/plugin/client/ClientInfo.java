package io.godwit.plugin.client;

import org.jspecify.annotations.Nullable;

/**
 * A connected client.
 *
 * @param userName as sent in CONNECT, null when absent
 * @param remoteAddress {@code host:port} of the peer
 * @param protocolLevel 3 (MQTT 3.1), 4 (3.1.1) or 5 (5.0)
 */
public record ClientInfo(
        TenantId tenant, ClientId clientId, @Nullable String userName, String remoteAddress, int protocolLevel) {}
