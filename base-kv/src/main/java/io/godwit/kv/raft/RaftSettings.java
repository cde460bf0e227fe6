package io.godwit.kv.raft;

/**
 * Settings of a node's groups in a cluster.
 *
 * @param electionTimeoutMillis how long a follower hears nothing from the leader before it asks for votes. Long,
 *     because hundreds of groups are idle; the membership reports a dead leader earlier
 * @param heartbeatMillis between two heartbeats of a leader; also the pause after a failed request to a follower. A
 *     follower learns of a commit with the next append or heartbeat
 * @param snapshotBytesPerSecond bound on the rate at which this node sends all snapshots together
 */
public record RaftSettings(int electionTimeoutMillis, int heartbeatMillis, long snapshotBytesPerSecond) {
    public static final RaftSettings DEFAULT = new RaftSettings(10_000, 2_000, 64L << 20);

    public RaftSettings {
        if (heartbeatMillis < 10 || electionTimeoutMillis < 2 * heartbeatMillis || snapshotBytesPerSecond < 1) {
            throw new IllegalArgumentException("election timeout " + electionTimeoutMillis + " ms, heartbeat "
                    + heartbeatMillis + " ms, snapshots " + snapshotBytesPerSecond + " bytes/s");
        }
    }

    /** A copy with another rate for snapshots. */
    public RaftSettings sendingAt(long bytesPerSecond) {
        return new RaftSettings(electionTimeoutMillis, heartbeatMillis, bytesPerSecond);
    }
}
