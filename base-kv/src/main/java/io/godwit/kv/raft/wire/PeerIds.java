package io.godwit.kv.raft.wire;

import com.alipay.sofa.jraft.entity.PeerId;

/** JRaft's ids of the members of a group: a store id as the host, and a port without a meaning. */
public final class PeerIds {
    private static final int NAME_PORT = 1;

    private PeerIds() {}

    /** The peer id of a store. */
    public static PeerId peer(String storeId) {
        return new PeerId(storeId, NAME_PORT);
    }

    /** The store id in a peer id; a plain store id is returned as it is. */
    public static String storeIdOf(String peerId) {
        int colon = peerId.indexOf(':');
        return colon < 0 ? peerId : peerId.substring(0, colon);
    }
}
