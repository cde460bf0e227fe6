package io.godwit.dist.client;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;

/**
 * A session kept in the inbox store. Ordered, so that hash maps stay fast when client ids collide.
 *
 * @param incarnation tells one life of the session from the next under the same client id; a route of an older one is
 *     stale
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
