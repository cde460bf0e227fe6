package io.godwit.inbox.session.port;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;

/** A client id of a tenant. Comparable, so that hash maps of it stay fast when client ids collide (ADR 33). */
public record IdKey(TenantId tenant, ClientId clientId) implements Comparable<IdKey> {
    @Override
    public int compareTo(IdKey other) {
        int byClient = clientId.compareTo(other.clientId);
        return byClient != 0 ? byClient : tenant.compareTo(other.tenant);
    }
}
