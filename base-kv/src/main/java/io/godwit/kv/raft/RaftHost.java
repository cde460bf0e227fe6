package io.godwit.kv.raft;

import com.alipay.sofa.jraft.JRaftServiceFactory;
import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.RaftGroupService;
import com.alipay.sofa.jraft.StateMachine;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.option.ReadOnlyOption;
import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.rpc.RpcRequests.RequestVoteRequest;
import com.alipay.sofa.jraft.util.concurrent.DefaultFixedThreadsExecutorGroupFactory;
import com.alipay.sofa.jraft.util.concurrent.FixedThreadsExecutorGroup;
import io.godwit.cluster.member.ClusterListener;
import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import io.godwit.cluster.rpc.RpcChannels;
import io.godwit.cluster.rpc.RpcServer;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.kv.raft.log.LogSync;
import io.godwit.kv.raft.snapshot.Bandwidth;
import io.godwit.kv.raft.snapshot.SnapshotSeal;
import io.godwit.kv.raft.snapshot.SnapshotTransfer;
import io.godwit.kv.raft.wire.AloneTransport;
import io.godwit.kv.raft.wire.GrpcRaftTransport;
import io.godwit.kv.raft.wire.MissingGroups;
import io.godwit.kv.raft.wire.PeerIds;
import io.godwit.kv.raft.wire.RaftTransport;
import io.godwit.kv.raft.wire.ServedGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs the Raft groups of a node on its shared log. A voter is named by its store id and not by an address, so that the
 * configuration in the log stays valid when a node moves.
 */
public final class RaftHost implements RaftGroups, AutoCloseable {

    private static final int MAX_BYTES = 1 << 20;
    /** Bytes of entries that share a sync: on a slow disk, large entries wait together. */
    private static final int MAX_SYNC_BYTES = 8 << 20;
    /** Append requests in flight to one follower; each has up to {@link #MAX_BYTES}. */
    private static final int MAX_APPENDS_IN_FLIGHT = 32;
    /** Long, because bandwidth limits a snapshot, and a broken connection reveals a dead follower anyway. */
    private static final int SNAPSHOT_MILLIS = 6 * 60 * 60 * 1_000;

    private final JRaftServiceFactory storage;
    private final PeerId self;
    private final RaftTransport transport;
    private final @Nullable SnapshotTransfer snapshots;
    private final RaftSettings settings;
    private final LogSync sync;
    private final EarlyElection elections;
    private final ReadIndexCalls reads = new ReadIndexCalls();
    /**
     * Members that crashed or left and have not come back. Written by the membership's thread, read by threads that
     * handle calls.
     */
    private final Set<String> gone = ConcurrentHashMap.newKeySet();

    private final ConcurrentMap<String, JRaftGroup> groups = new ConcurrentHashMap<>();
    private final Object starting = new Object();
    private final FixedThreadsExecutorGroup appendExecutors =
            DefaultFixedThreadsExecutorGroupFactory.INSTANCE.newExecutorGroup(2, "raft-append", 1024, true);

    /**
     * For a node that is not in a cluster: it is the only voter of each of its groups.
     *
     * @param storage log, votes and snapshots of the groups
     * @param storeId this node's id as a voter; without a colon or slash
     */
    public RaftHost(JRaftServiceFactory storage, String storeId, LogSync sync) {
        this(storage, storeId, sync, RaftSettings.DEFAULT, new AloneTransport(), null);
    }

    /**
     * For a node in a cluster, where each node is named by its store id.
     *
     * @param protocol the versions of the messages between nodes that it supports
     */
    public static RaftHost connected(
            JRaftServiceFactory storage,
            String storeId,
            LogSync sync,
            RaftSettings settings,
            RpcServer server,
            RpcChannels channels,
            NodeProtocol protocol) {
        Bandwidth bandwidth = new Bandwidth(settings.snapshotBytesPerSecond(), System::nanoTime);
        return new RaftHost(
                storage,
                storeId,
                sync,
                settings,
                new GrpcRaftTransport(server, channels),
                new SnapshotTransfer(server, channels, storeId, protocol, bandwidth));
    }

    private RaftHost(
            JRaftServiceFactory storage,
            String storeId,
            LogSync sync,
            RaftSettings settings,
            RaftTransport transport,
            @Nullable SnapshotTransfer snapshots) {
        if (storeId.isEmpty() || storeId.indexOf(':') >= 0 || storeId.indexOf('/') >= 0) {
            throw new IllegalArgumentException("store id: " + storeId);
        }
        this.storage = storage;
        this.self = PeerIds.peer(storeId);
        this.sync = sync;
        this.settings = settings;
        this.transport = transport;
        this.snapshots = snapshots;
        this.elections = new EarlyElection(storeId, groups::values, new Canvass(storeId, transport));
    }

    /** Sets {@code missing}, which is told of calls for groups that have no replica here. */
    public void onMissing(MissingGroups missing) {
        transport.onMissing(missing);
    }

    /**
     * Starts the replica of a group whose only voter is this node. Returns when its snapshot is loaded; later entries
     * are applied afterwards.
     *
     * @throws DamagedDataException if its snapshot is damaged, or if log and snapshot do not fit together
     */
    public RaftGroup start(String groupId, Path snapshotDirectory, StateMachine stateMachine) throws IOException {
        return start(groupId, snapshotDirectory, stateMachine, List.of(self.getIp()));
    }

    @Override
    public RaftGroup start(String groupId, Path snapshotDirectory, StateMachine stateMachine, List<String> firstVoters)
            throws IOException {
        SnapshotSeal.verify(snapshotDirectory);
        NodeOptions options = new RaftNodeOptions(transport, snapshots);
        options.setServiceFactory(storage);
        options.setLogUri(groupId);
        options.setRaftMetaUri(groupId);
        options.setSnapshotUri(snapshotDirectory.toString());
        options.setFsm(stateMachine);
        options.setInitialConf(
                new Configuration(firstVoters.stream().map(PeerIds::peer).toList()));
        options.setElectionTimeoutMs(settings.electionTimeoutMillis());
        options.setSnapshotIntervalSecs(0); // ranges trigger snapshots by log bytes
        options.setSharedTimerPool(true);
        options.setSharedElectionTimer(true);
        options.setSharedVoteTimer(true);
        options.setSharedStepDownTimer(true);
        options.setSharedSnapshotTimer(true);
        options.setRpcProcessorThreadPoolSize(2);
        options.setRpcInstallSnapshotTimeout(SNAPSHOT_MILLIS);
        options.setAppendEntriesExecutors(appendExecutors);
        options.setDisableCli(true);
        options.setRaftOptions(raftOptions());
        RaftGroupService service = new RaftGroupService(groupId, self, options, null, true);
        try {
            Node node = begin(service);
            JRaftGroup group = new JRaftGroup(
                    service,
                    node,
                    storage.createLogStorage(groupId, options.getRaftOptions()),
                    reads,
                    elections::handsOver,
                    () -> stopped(groupId),
                    this::stop);
            groups.put(groupId, group);
            boolean isGivenItsState = firstVoters.isEmpty();
            transport.serve(
                    groupId,
                    new ServedGroup(
                            self.toString(),
                            (RaftServerService) node,
                            () -> !isGivenItsState || group.lastLogIndex() > 0,
                            asked -> wouldVote(group, asked)));
            return group;
        } catch (RuntimeException e) {
            throw new DamagedDataException(
                    snapshotDirectory, "raft group " + groupId + " does not start: " + e.getMessage(), e);
        }
    }

    /**
     * Starts groups one at a time, and none while another stops: JRaft keeps one registration of this address for all
     * groups, makes it with each start and removes it with each stop, so a group that starts in between would fail.
     */
    private Node begin(RaftGroupService service) {
        synchronized (starting) {
            return service.start(false);
        }
    }

    private void stop(RaftGroupService service) {
        synchronized (starting) {
            service.shutdown();
        }
    }

    private void stopped(String groupId) {
        transport.serveNoMore(groupId);
        groups.remove(groupId);
    }

    private RaftOptions raftOptions() {
        RaftOptions options = new RaftOptions();
        options.setSync(sync.entries());
        options.setSyncMeta(sync.votes());
        options.setDisruptorBufferSize(256);
        options.setOpenStatistics(false);
        // not the leader's clock: a process that was suspended must not answer reads before others have confirmed that
        // it leads
        options.setReadOnlyOptions(ReadOnlyOption.ReadOnlySafe);
        options.setElectionHeartbeatFactor(settings.electionTimeoutMillis() / settings.heartbeatMillis());
        options.setMaxReplicatorInflightMsgs(MAX_APPENDS_IN_FLIGHT);
        // bounds on batches; a single larger entry is always sent alone
        options.setMaxByteCountPerRpc(MAX_BYTES);
        options.setMaxBodySize(MAX_BYTES);
        options.setMaxAppendBufferSize(MAX_SYNC_BYTES);
        return options;
    }

    /**
     * A member crashed or seems to have: groups that it led elect another leader now instead of after the election
     * timeout. Any thread.
     */
    public void onMemberCrashed(String storeId) {
        gone.add(storeId);
        elections.leaderDied(storeId);
    }

    @Override
    public void standWhereNobodyLeads() {
        elections.leaderDied("");
    }

    @Override
    public void stand(RaftGroup group) {
        JRaftGroup own = groups.get(group.groupId());
        if (own != null) { // otherwise it has been stopped
            elections.stand(own);
        }
    }

    @Override
    public void standAgain(RaftGroup group) {
        JRaftGroup own = groups.get(group.groupId());
        if (own != null) { // otherwise it has been stopped
            elections.standInstead(own, "");
        }
    }

    /**
     * Answers a candidate's pre-vote. If the candidate asks about the leader, the answer is yes only if this voter has
     * lost the leader too and the candidate's log is not behind its own. If that log is behind, this voter stands
     * itself: the candidate cannot be elected, and this voter may not know yet that there is no leader.
     */
    private boolean wouldVote(JRaftGroup group, RequestVoteRequest asked) {
        if (!asked.getPreVote()) {
            return true;
        }
        String leader = group.leader();
        boolean isLost =
                leader.isEmpty() || gone.contains(leader) || leader.equals(PeerIds.storeIdOf(asked.getServerId()));
        if (isLost && Canvass.isBehind(asked, group)) {
            elections.standInstead(group, leader);
            return false;
        }
        return isLost;
    }

    /**
     * Makes this node's replica of a group stand for election if it follows {@code leaderId}, which is alive but not
     * reached by all nodes. Any thread.
     */
    public void takeOver(String groupId, String leaderId) {
        JRaftGroup group = groups.get(groupId);
        if (group != null) {
            elections.takeOver(group, leaderId);
        }
    }

    /**
     * Follows the membership. A member that left has usually handed over its leaderships; if not, they are found as
     * fast as after a crash.
     */
    public ClusterListener following() {
        return new ClusterListener() {
            @Override
            public void joined(Member member) {
                gone.remove(member.nodeId());
            }

            @Override
            public void gone(Member member, Departure departure) {
                onMemberCrashed(member.nodeId());
            }
        };
    }

    /** Bytes of snapshots received from other nodes since the start, including parts that were requested again. */
    public long snapshotBytesReceived() {
        return snapshots == null ? 0 : snapshots.bytesReceived();
    }

    /** Snapshot copies that failed since the start. A leader that is still alive starts a new one. */
    public long snapshotCopiesFailed() {
        return snapshots == null ? 0 : snapshots.copiesFailed();
    }

    public int snapshotCopiesUnderWay() {
        return snapshots == null ? 0 : snapshots.copiesUnderWay();
    }

    /** For tests, which damage the data that it sends; null if this node is not in a cluster. */
    @Nullable
    SnapshotTransfer snapshots() {
        return snapshots;
    }

    /** The groups must be closed before. */
    @Override
    public void close() {
        elections.close();
        reads.close();
        transport.close();
        if (snapshots != null) {
            snapshots.close();
        }
        appendExecutors.shutdownGracefully();
    }
}
