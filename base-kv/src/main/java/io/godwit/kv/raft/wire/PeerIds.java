package io.godwit.kv.raft.wire;

import com.alipay.sofa.jraft.entity.PeerId;

/** JRaft's names of the members of a group: the id of a store, and a port that means nothing. */
public final class PeerIds {
    private static final int NAME_PORT = 1;

    private PeerIds() {}

    /** The name of a store. */
    public static PeerId peer(String storeId) {
        return new PeerId(storeId, NAME_PORT);
    }

    /** The store that has this name; a store id stands for itself. */
    public static String storeIdOf(String peerId) {
        int colon = peerId.indexOf(':');
        return colon < 0 ? peerId : peerId.substring(0, colon);
    }
}
