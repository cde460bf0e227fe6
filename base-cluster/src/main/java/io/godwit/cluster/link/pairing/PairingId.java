package io.godwit.cluster.link.pairing;

/**
 * Which pairing this is.
 *
 * @param nodeId the other node
 * @param incarnation that of the other process
 * @param session counted by the dialing process, which uses no number twice
 */
public record PairingId(String nodeId, long incarnation, long session) {
    /** As logs show it. */
    @Override
    public String toString() {
        return nodeId + '/' + incarnation + '#' + session;
    }
}
