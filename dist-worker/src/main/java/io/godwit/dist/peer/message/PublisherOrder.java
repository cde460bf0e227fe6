package io.godwit.dist.peer.message;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;

/**
 * The key of the order that messages of one publisher keep on their way to another node, over all its connections and
 * including its will. Only messages of other publishers may overtake a large one ({@link
 * io.godwit.cluster.link.Peer#send(io.godwit.cluster.link.Lane, byte[], Object,
 * io.godwit.cluster.link.Peer.Confirmation)}). Comparable, because clients choose it and it is a key of hash maps.
 */
record PublisherOrder(TenantId tenant, ClientId clientId) implements Comparable<PublisherOrder> {
    static PublisherOrder of(ClientInfo publisher) {
        return new PublisherOrder(publisher.tenant(), publisher.clientId());
    }

    @Override
    public int compareTo(PublisherOrder other) {
        int byClient = clientId.compareTo(other.clientId);
        return byClient != 0 ? byClient : tenant.compareTo(other.tenant);
    }
}
