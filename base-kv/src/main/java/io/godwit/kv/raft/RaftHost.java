package io.godwit.kv.raft;

import com.alipay.sofa.jraft.JRaftServiceFactory;
import com.alipay.sofa.jraft.RaftGroupService;
import com.alipay.sofa.jraft.StateMachine;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.util.concurrent.DefaultFixedThreadsExecutorGroupFactory;
import com.alipay.sofa.jraft.util.concurrent.FixedThreadsExecutorGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs the Raft groups of a node on its shared log. A voter is named by its store id, not by an address, so that the configuration in the
 * log stays true when a node moves. In this release every group has one voter: this node.
 */
public final class RaftHost implements AutoCloseable {
    /** JRaft wants a port in a peer's name; members are reached through the cluster's own channels. */
    private static final int NAME_PORT = 1;

    private static final int ELECTION_TIMEOUT_MILLIS = 10_000;
    private static final int MAX_BYTES = 1 << 20;

    private final JRaftServiceFactory storage;
    private final PeerId self;
    private final FixedThreadsExecutorGroup appendExecutors =
            DefaultFixedThreadsExecutorGroupFactory.INSTANCE.newExecutorGroup(2, "raft-append", 1024, true);

    private final LogSync sync;

    /**
     * @param storage log, vote and snapshots of the groups
     * @param storeId this node's name as a voter; without a colon
     */
    public RaftHost(JRaftServiceFactory storage, String storeId, LogSync sync) {
        if (storeId.isEmpty() || storeId.indexOf(':') >= 0) {
            throw new IllegalArgumentException("store id: " + storeId);
        }
        this.storage = storage;
        this.sync = sync;
        this.self = new PeerId(storeId, NAME_PORT);
    }

    /**
     * Starts the replica of a group. Returns when its snapshot is loaded; entries behind it are applied afterwards.
     *
     * @throws DamagedDataException if its snapshot is damaged, or log and snapshot do not fit together
     */
    public RaftGroup start(String groupId, Path snapshotDirectory, StateMachine stateMachine) throws IOException {
        SnapshotSeal.verify(snapshotDirectory);
        NodeOptions options = new NodeOptions();
        options.setServiceFactory(storage);
        options.setLogUri(groupId);
        options.setRaftMetaUri(groupId);
        options.setSnapshotUri(snapshotDirectory.toString());
        options.setFsm(stateMachine);
        options.setInitialConf(new Configuration(List.of(self)));
        options.setElectionTimeoutMs(ELECTION_TIMEOUT_MILLIS);
        options.setSnapshotIntervalSecs(0); // ranges trigger snapshots by log bytes
        options.setSharedTimerPool(true);
        options.setSharedElectionTimer(true);
        options.setSharedVoteTimer(true);
        options.setSharedStepDownTimer(true);
        options.setSharedSnapshotTimer(true);
        options.setRpcProcessorThreadPoolSize(2);
        options.setAppendEntriesExecutors(appendExecutors);
        options.setDisableCli(true);
        options.setRaftOptions(raftOptions());
        RaftGroupService service = new RaftGroupService(groupId, self, options, null, true);
        try {
            return new RaftGroup(service, service.start(false));
        } catch (RuntimeException e) {
            throw new DamagedDataException(
                    snapshotDirectory, "raft group " + groupId + " does not start: " + e.getMessage(), e);
        }
    }

    private RaftOptions raftOptions() {
        RaftOptions options = new RaftOptions();
        options.setSync(sync.entries());
        options.setSyncMeta(sync.votes());
        options.setDisruptorBufferSize(256);
        options.setOpenStatistics(false);
        options.setElectionHeartbeatFactor(5);
        // bounds on what is gathered; one larger entry always goes alone
        options.setMaxByteCountPerRpc(MAX_BYTES);
        options.setMaxBodySize(MAX_BYTES);
        options.setMaxAppendBufferSize(MAX_BYTES);
        return options;
    }

    @Override
    public void close() {
        appendExecutors.shutdownGracefully();
    }
}
