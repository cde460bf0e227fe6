package io.godwit.mqtt.client;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;

/** Position of a client in a list: by tenant, then by client id, each by its UTF-16 code units. */
public record ClientKey(TenantId tenant, ClientId clientId) implements Comparable<ClientKey> {
    static ClientKey of(ClientInfo client) {
        return new ClientKey(client.tenant(), client.clientId());
    }

    @Override
    public int compareTo(ClientKey other) {
        int byTenant = tenant.compareTo(other.tenant);
        return byTenant == 0 ? clientId.compareTo(other.clientId) : byTenant;
    }
}
