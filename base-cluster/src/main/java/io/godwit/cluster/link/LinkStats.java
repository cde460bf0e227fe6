package io.godwit.cluster.link;

/**
 * Statistics of one lane to one node. Counters go on over connections, peers and restarts of the node until it leaves
 * the cluster; {@code unconfirmedBytes} belongs to the current peer.
 *
 * @param isLinked whether the node has a peer that is not over
 * @param isConnected whether that peer is connected
 * @param sentFrames complete frames handed to the connection, including those sent again
 * @param sentBytes bytes of frames and their pieces, without protocol overhead
 * @param resentFrames the part of {@code sentFrames} that had been sent before
 * @param receivedFrames frames whose receiver has returned
 * @param receivedBytes bytes of {@code receivedFrames}
 * @param unconfirmedBytes bytes waiting here to be sent or confirmed, with a charge for each frame
 * @param roundTripNanos latest measured time from sending a frame to its confirmation; 0 before the first
 */
public record LinkStats(
        String nodeId,
        Lane lane,
        boolean isLinked,
        boolean isConnected,
        long sentFrames,
        long sentBytes,
        long resentFrames,
        long receivedFrames,
        long receivedBytes,
        long unconfirmedBytes,
        long roundTripNanos) {}
