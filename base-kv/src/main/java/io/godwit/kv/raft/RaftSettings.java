package io.godwit.kv.raft;

/**
 * How a node's groups behave among other nodes.
 *
 * @param electionTimeoutMillis after which a follower that has not heard from a leader asks for votes. Long, since
 *     hundreds of groups idle on it: that a leader died is told by the membership, not by its silence
 * @param heartbeatMillis between two heartbeats of a leader; also how long it leaves alone a follower that a request
 *     failed to. A follower learns of a commit by the next append or heartbeat
 * @param snapshotBytesPerSecond how fast this node sends snapshots to others, all together
 */
public record RaftSettings(int electionTimeoutMillis, int heartbeatMillis, long snapshotBytesPerSecond) {
    public static final RaftSettings DEFAULT = new RaftSettings(10_000, 2_000, 64L << 20);

    public RaftSettings {
        if (heartbeatMillis < 10 || electionTimeoutMillis < 2 * heartbeatMillis || snapshotBytesPerSecond < 1) {
            throw new IllegalArgumentException("election timeout " + electionTimeoutMillis + " ms, heartbeat "
                    + heartbeatMillis + " ms, snapshots " + snapshotBytesPerSecond + " bytes/s");
        }
    }

    /** The same with snapshots sent at another rate. */
    public RaftSettings sendingAt(long bytesPerSecond) {
        return new RaftSettings(electionTimeoutMillis, heartbeatMillis, bytesPerSecond);
    }
}
