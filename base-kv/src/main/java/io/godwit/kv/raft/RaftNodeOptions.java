package io.godwit.kv.raft;

import com.alipay.sofa.jraft.option.NodeOptions;
import io.godwit.kv.raft.snapshot.SnapshotTransfer;
import io.godwit.kv.raft.wire.RaftTransport;
import org.jspecify.annotations.Nullable;

/**
 * Options of a group that also carry parts of the node, because JRaft passes nothing but the options to the objects it
 * creates for a group.
 */
final class RaftNodeOptions extends NodeOptions {
    private final RaftTransport transport;
    private final @Nullable SnapshotTransfer snapshots;

    /** @param snapshots null if this node is not in a cluster */
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
