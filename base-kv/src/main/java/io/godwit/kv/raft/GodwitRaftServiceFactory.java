package io.godwit.kv.raft;

import com.alipay.sofa.jraft.JRaftServiceFactory;
import com.alipay.sofa.jraft.entity.codec.LogEntryCodecFactory;
import com.alipay.sofa.jraft.entity.codec.v2.LogEntryV2CodecFactory;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import com.alipay.sofa.jraft.storage.SnapshotStorage;
import io.godwit.kv.raft.log.LogSync;
import io.godwit.kv.raft.log.SharedLogStorage;
import io.godwit.kv.raft.log.SharedRaftLog;
import io.godwit.kv.raft.log.SharedRaftMeta;
import io.godwit.kv.raft.snapshot.LocalSnapshots;
import io.godwit.kv.raft.snapshot.SnapshotTransfer;
import io.godwit.kv.raft.snapshot.TransferredSnapshots;

/**
 * Gives JRaft its storage: log and vote of every group from the node's {@link SharedRaftLog}, snapshots from JRaft's
 * local files, which nodes in a cluster transfer. The URI of a log and of a vote is the group id.
 */
public final class GodwitRaftServiceFactory implements JRaftServiceFactory {
    private final SharedRaftLog raftLog;
    /** Used instead of {@link RaftOptions}, by which votes are synced whenever entries are. */
    private final LogSync sync;

    public GodwitRaftServiceFactory(SharedRaftLog raftLog, LogSync sync) {
        this.raftLog = raftLog;
        this.sync = sync;
    }

    @Override
    public LogStorage createLogStorage(String groupId, RaftOptions raftOptions) {
        return new SharedLogStorage(raftLog, groupId, sync.entries());
    }

    @Override
    public RaftMetaStorage createRaftMetaStorage(String groupId, RaftOptions raftOptions) {
        return new SharedRaftMeta(raftLog, groupId, sync.votes());
    }

    @Override
    public SnapshotStorage createSnapshotStorage(NodeOptions nodeOptions) {
        SnapshotTransfer transfer = nodeOptions instanceof RaftNodeOptions own ? own.snapshots() : null;
        if (transfer != null) {
            return new TransferredSnapshots(transfer, nodeOptions.getLogUri(), nodeOptions);
        }
        return new LocalSnapshots(nodeOptions);
    }

    @Override
    public LogEntryCodecFactory createLogEntryCodecFactory() {
        return LogEntryV2CodecFactory.getInstance();
    }
}
