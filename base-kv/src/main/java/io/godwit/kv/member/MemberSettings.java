package io.godwit.kv.member;

import io.godwit.cluster.config.ClusterConfig;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.raft.RaftSettings;
import java.time.Duration;

/**
 * The settings of a node in a cluster.
 *
 * @param version version of the software, announced to the others
 * @param zone what fails together with this node (a rack, a data centre); empty if not configured
 * @param joinTimeout how long a node without data waits to learn which cluster it belongs to
 * @param foundsAlone whether a node that may found begins the cluster without regard to other nodes; otherwise it does
 *     so only as the first of its seeds, together with them
 * @param protocol the versions of the messages between nodes that this node supports
 */
public record MemberSettings(
        ClusterConfig config,
        RaftSettings raft,
        String version,
        String zone,
        Duration joinTimeout,
        boolean foundsAlone,
        NodeProtocol protocol) {
    public static final Duration DEFAULT_JOIN_TIMEOUT = Duration.ofMinutes(5);

    public MemberSettings {
        if (joinTimeout.isZero() || joinTimeout.isNegative()) {
            throw new IllegalArgumentException("join timeout is " + joinTimeout);
        }
    }

    /** With the versions of this build. */
    public MemberSettings(
            ClusterConfig config,
            RaftSettings raft,
            String version,
            String zone,
            Duration joinTimeout,
            boolean foundsAlone) {
        this(config, raft, version, zone, joinTimeout, foundsAlone, NodeProtocol.CURRENT);
    }

    public MemberSettings(ClusterConfig config, String version, String zone) {
        this(config, RaftSettings.DEFAULT, version, zone, DEFAULT_JOIN_TIMEOUT, false);
    }
}
