package io.godwit.kv.raft;

import com.alipay.sofa.jraft.option.NodeOptions;
import io.godwit.kv.raft.snapshot.SnapshotTransfer;
import io.godwit.kv.raft.wire.RaftTransport;
import org.jspecify.annotations.Nullable;

/**
 * JRaft hands a group's options to what it has made for the group, and nothing else: so they carry what that needs of
 * the node.
 */
final class RaftNodeOptions extends NodeOptions {
    private final RaftTransport transport;
    private final @Nullable SnapshotTransfer snapshots;

    /** @param snapshots null when this node is alone */
    RaftNodeOptions(RaftTransport transport, @Nullable SnapshotTransfer snapshots) {
        this.transport = transport;
        this.snapshots = snapshots;
    }

    RaftTransport transport() {
        return transport;
    }

    @Nullable
    SnapshotTransfer snapshots() {
        return snapshots;
    }
}
