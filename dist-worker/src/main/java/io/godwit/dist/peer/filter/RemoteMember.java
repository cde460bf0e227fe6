package io.godwit.dist.peer.filter;

import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;

/**
 * The live members that one shared group has on one peer. The peer chooses which of them gets a message. Equality
 * compares the peer and the filter, not the number of members. Immutable.
 */
public final class RemoteMember implements LiveReceiver {
    private final Peer peer;
    private final FilterKey key;
    private final int members;
    private final boolean readsStrategies;
    private final ClientId clientId;

    /**
     * @param members at least 1
     * @param readsStrategies whether frames to the peer may have the strategy of the message's listener
     */
    public RemoteMember(Peer peer, FilterKey key, int members, boolean readsStrategies) {
        this.peer = peer;
        this.key = key;
        this.members = members;
        this.readsStrategies = readsStrategies;
        this.clientId = new ClientId(nameOf(peer.nodeId()));
    }

    /** The client id of the members on a node. All nodes choose by it, so it must not change between releases. */
    public static String nameOf(String nodeId) {
        return '\0' + nodeId; // U+0000 is in no client's id [MQTT5-1.5.4-2]
    }

    public Peer peer() {
        return peer;
    }

    TenantId tenant() {
        return key.tenant();
    }

    public TopicFilter filter() {
        return key.filter();
    }

    public boolean readsStrategies() {
        return readsStrategies;
    }

    @Override
    public ClientId clientId() {
        return clientId;
    }

    @Override
    public int membersElsewhere() {
        return members;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RemoteMember member && member.peer.equals(peer) && member.key.equals(key);
    }

    @Override
    public int hashCode() {
        return 31 * peer.hashCode() + key.hashCode();
    }

    @Override
    public String toString() {
        return members + " of " + key.filter().text() + " at " + peer;
    }
}
