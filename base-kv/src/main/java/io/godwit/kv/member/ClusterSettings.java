package io.godwit.kv.member;

import io.godwit.cluster.ClusterConfig;
import io.godwit.kv.raft.RaftSettings;
import java.time.Duration;

/**
 * What a node needs to be one of several.
 *
 * @param version of the software, told to the others
 * @param zone what fails together with this node (a rack, a data centre); empty when nobody said
 * @param joinTimeout how long a node without data waits for a member that tells it which cluster it is to belong to
 * @param foundsAlone whether a node that may found begins the cluster whoever it sees, not only as the first of its
 *     seeds and together with them
 */
public record ClusterSettings(
        ClusterConfig config,
        RaftSettings raft,
        String version,
        String zone,
        Duration joinTimeout,
        boolean foundsAlone) {
    public static final Duration DEFAULT_JOIN_TIMEOUT = Duration.ofMinutes(5);

    public ClusterSettings {
        if (joinTimeout.isZero() || joinTimeout.isNegative()) {
            throw new IllegalArgumentException("join timeout is " + joinTimeout);
        }
    }

    public ClusterSettings(ClusterConfig config, String version, String zone) {
        this(config, RaftSettings.DEFAULT, version, zone, DEFAULT_JOIN_TIMEOUT, false);
    }
}
