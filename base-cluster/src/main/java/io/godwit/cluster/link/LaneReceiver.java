package io.godwit.cluster.link;

/** Takes the frames of one lane, of all peers. */
@FunctionalInterface
public interface LaneReceiver {
    /**
     * Called by one thread at a time for each peer, in order. When it returns the frame is confirmed: what it stands
     * for is in force, or handed over to whoever takes it in order. Must not block. What it throws ends the peer.
     */
    void receive(Peer from, byte[] frame);
}
