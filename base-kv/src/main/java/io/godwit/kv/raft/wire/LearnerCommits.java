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
 * Sends a learner the leader's commit index at once when the learner has asked for a ReadIndex. JRaft confirms an index
 * by heartbeats to the voters, which learn the commit index from them. A learner, and every follower of an only voter,
 * would wait for the next regular heartbeat, which takes seconds in an idle range.
 *
 * <p>JRaft has a suitable method, but it can be reached only through a field of the node, hence the reflection. The
 * version of JRaft is pinned; with a version without the field, the first node of any test would not start.
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

    /** Does nothing if the asker is not a learner, or if this replica does not lead. */
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
                    // if it does not arrive, the learner asks again
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
