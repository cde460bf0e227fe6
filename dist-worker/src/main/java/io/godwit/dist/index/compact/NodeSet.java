package io.godwit.dist.index.compact;

import io.godwit.cluster.link.Peer;
import java.util.Arrays;

/**
 * The other nodes that have live subscribers. Immutable. A peer is one incarnation of a node with its link to this one,
 * so a set may contain two incarnations of one node until the earlier is removed.
 *
 * <p>Most of a million filters have one of a few sets, which they share ({@link NodeSets}): then a set costs a filter
 * one reference.
 */
public final class NodeSet {
    /** No other node. */
    public static final NodeSet NONE = new NodeSet();

    private final Peer[] peers;

    private NodeSet(Peer... peers) {
        this.peers = peers;
    }

    public boolean isEmpty() {
        return peers.length == 0;
    }

    public int size() {
        return peers.length;
    }

    public Peer get(int at) {
        return peers[at];
    }

    public boolean contains(Peer peer) {
        for (Peer known : peers) {
            if (known.equals(peer)) {
                return true;
            }
        }
        return false;
    }

    public NodeSet with(Peer peer) {
        if (contains(peer)) {
            return this;
        }
        Peer[] more = Arrays.copyOf(peers, peers.length + 1);
        more[peers.length] = peer;
        return new NodeSet(more);
    }

    public NodeSet without(Peer peer) {
        if (!contains(peer)) {
            return this;
        }
        return peers.length == 1
                ? NONE
                : new NodeSet(Arrays.stream(peers)
                        .filter(known -> !known.equals(peer))
                        .toArray(Peer[]::new));
    }

    public NodeSet union(NodeSet other) {
        NodeSet all = isEmpty() ? other : this;
        for (Peer peer : other.peers) {
            all = all.with(peer);
        }
        return all;
    }

    /** Independent of the order of the peers. Uses the identity of peers, not text that a client chooses. */
    @Override
    public int hashCode() {
        int sum = 0;
        for (Peer peer : peers) {
            sum += peer.hashCode();
        }
        return sum;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof NodeSet set) || set.peers.length != peers.length) {
            return false;
        }
        for (Peer peer : peers) {
            if (!set.contains(peer)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return Arrays.toString(peers);
    }
}
