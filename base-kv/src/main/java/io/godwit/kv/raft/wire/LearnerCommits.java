package io.godwit.kv.raft.wire;

import com.alipay.sofa.jraft.ReplicatorGroup;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.rpc.RpcRequests.AppendEntriesResponse;
import com.alipay.sofa.jraft.rpc.RpcResponseClosureAdapter;
import java.lang.reflect.Field;

/**
 * Tells a learner at once how far its leader has committed when it has asked for a ReadIndex. JRaft confirms an index
 * by heartbeats to voters, which learn of the commit by them; a learner, and every follower of an only voter, would
 * wait for the next regular heartbeat, for seconds in an idle range.
 *
 * <p>JRaft has the call, and no way to it but the node's field, hence the reflection. The version of JRaft is pinned,
 * and another that lacks the field stops the first node of the first test.
 */
public final class LearnerCommits {
    private static final Field REPLICATORS = replicators();

    private LearnerCommits() {}

    private static Field replicators() {
        try {
            Field field = NodeImpl.class.getDeclaredField("replicatorGroup");
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException("this version of JRaft keeps its replicators elsewhere", e);
        }
    }

    /** Does nothing when the asker is no learner, or this replica does not lead. */
    static void tell(RaftServerService leader, String asker) {
        PeerId peer = new PeerId();
        if (!(leader instanceof NodeImpl node) || !peer.parse(asker)) {
            return;
        }
        Configuration configuration = node.getCurrentConf();
        if (configuration != null && configuration.getLearners().contains(peer)) {
            replicatorsOf(node).sendHeartbeat(peer, new RpcResponseClosureAdapter<AppendEntriesResponse>() {
                @Override
                public void run(Status status) {
                    // it asks again when this has not reached it
                }
            });
        }
    }

    private static ReplicatorGroup replicatorsOf(NodeImpl node) {
        try {
            return (ReplicatorGroup) REPLICATORS.get(node);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
