package io.godwit.dist.client;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;

/**
 * A session kept in the inbox store. Comparable, so that hash maps stay fast when client ids collide.
 *
 * @param incarnation distinguishes sessions of the same client id; a route of an older one is stale
 */
public record InboxReceiver(TenantId tenant, ClientId clientId, long incarnation)
        implements Receiver, Comparable<InboxReceiver> {
    @Override
    public int compareTo(InboxReceiver other) {
        int byClient = clientId.compareTo(other.clientId);
        if (byClient != 0) {
            return byClient;
        }
        int byTenant = tenant.compareTo(other.tenant);
        return byTenant != 0 ? byTenant : Long.compare(incarnation, other.incarnation);
    }
}
