package io.godwit.cluster.link;

/**
 * How a lane to a node fares. What is counted goes on over connections, peers and lives of the node, until it leaves
 * the cluster; {@code unconfirmedBytes} is of the peer that there is now.
 *
 * @param isLinked whether there is a peer of that node that is not over
 * @param isConnected whether it is connected
 * @param sentFrames whole frames handed to the connection, again after it broke
 * @param sentBytes of frames and their pieces, without what the protocol adds
 * @param resentFrames of {@code sentFrames}, those that had been sent before
 * @param receivedFrames whose receiver has returned
 * @param receivedBytes of those
 * @param unconfirmedBytes that wait here to be sent or confirmed, with a charge for each frame
 * @param roundTripNanos of a frame lately, from the connection to its confirmation; 0 before the first
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
