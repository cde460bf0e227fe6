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
import io.godwit.cluster.ClusterListener;
import io.godwit.cluster.Departure;
import io.godwit.cluster.Member;
import io.godwit.cluster.RpcChannels;
import io.godwit.cluster.RpcServer;
import io.godwit.kv.disk.DamagedDataException;
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
 * Runs the Raft groups of a node on its shared log. A voter is named by its store id, not by an address, so that the
 * configuration in the log stays true when a node moves.
 */
public final class RaftHost implements RaftGroups, AutoCloseable {

    private static final int MAX_BYTES = 1 << 20;
    /** Entries that share a sync: on a disk that takes long for each, large ones wait together. */
    private static final int MAX_SYNC_BYTES = 8 << 20;
    /** Entries on their way to one follower: each holds up to {@link #MAX_BYTES}. */
    private static final int MAX_APPENDS_IN_FLIGHT = 32;
    /** A snapshot is limited by bandwidth, and a follower that died by its connection. */
    private static final int SNAPSHOT_MILLIS = 6 * 60 * 60 * 1_000;

    private final JRaftServiceFactory storage;
    private final PeerId self;
    private final RaftTransport transport;
    private final @Nullable SnapshotTransfer snapshots;
    private final RaftSettings settings;
    private final LogSync sync;
    private final EarlyElection elections;
    private final ReadIndexCalls reads = new ReadIndexCalls();
    /** Members that crashed or left and did not come back. The membership's thread writes, calls of others read. */
    private final Set<String> gone = ConcurrentHashMap.newKeySet();

    private final ConcurrentMap<String, JRaftGroup> groups = new ConcurrentHashMap<>();
    private final Object starting = new Object();
    private final FixedThreadsExecutorGroup appendExecutors =
            DefaultFixedThreadsExecutorGroupFactory.INSTANCE.newExecutorGroup(2, "raft-append", 1024, true);

    /**
     * A node that runs alone: each of its groups has this one voter.
     *
     * @param storage log, vote and snapshots of the groups
     * @param storeId this node's name as a voter; without a colon
     */
    public RaftHost(JRaftServiceFactory storage, String storeId, LogSync sync) {
        this(storage, storeId, sync, RaftSettings.DEFAULT, new AloneTransport(), null);
    }

    /** A node among others, each named by its store id in the cluster too. */
    public static RaftHost connected(
            JRaftServiceFactory storage,
            String storeId,
            LogSync sync,
            RaftSettings settings,
            RpcServer server,
            RpcChannels channels) {
        Bandwidth bandwidth = new Bandwidth(settings.snapshotBytesPerSecond(), System::nanoTime);
        return new RaftHost(
                storage,
                storeId,
                sync,
                settings,
                new GrpcRaftTransport(server, channels),
                new SnapshotTransfer(server, channels, storeId, bandwidth));
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

    /** From now on {@code missing} is told of calls for groups that have no replica here. */
    public void onMissing(MissingGroups missing) {
        transport.onMissing(missing);
    }

    /**
     * Starts the replica of a group whose only voter is this node. Returns when its snapshot is loaded; entries behind
     * it are applied afterwards.
     *
     * @throws DamagedDataException if its snapshot is damaged, or log and snapshot do not fit together
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
     * One at a time, and none while another stops: JRaft keeps one note for all groups that this address is served,
     * makes it with each start and takes it away with each stop; a group that starts in between would fail.
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
        // not by the leader's clock: a process that was stopped must not answer before others have confirmed that it
        // leads
        options.setReadOnlyOptions(ReadOnlyOption.ReadOnlySafe);
        options.setElectionHeartbeatFactor(settings.electionTimeoutMillis() / settings.heartbeatMillis());
        options.setMaxReplicatorInflightMsgs(MAX_APPENDS_IN_FLIGHT);
        // bounds on what is gathered; one larger entry always goes alone
        options.setMaxByteCountPerRpc(MAX_BYTES);
        options.setMaxBodySize(MAX_BYTES);
        options.setMaxAppendBufferSize(MAX_SYNC_BYTES);
        return options;
    }

    /**
     * A member crashed, or is taken for dead: groups that it led elect another leader now rather than after the
     * election timeout. Any thread.
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
        if (own != null) { // else it has been stopped
            elections.stand(own);
        }
    }

    @Override
    public void standAgain(RaftGroup group) {
        JRaftGroup own = groups.get(group.groupId());
        if (own != null) { // else it has been stopped
            elections.standInstead(own, "");
        }
    }

    /**
     * Whether a candidate is heard, and if it asks for that whether this voter has lost its leader, too, and the
     * candidate's log is not behind its own. If it is, this voter stands: the candidate cannot be elected, and nobody
     * may have told this voter that there is no leader.
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
     * Has this node's replica of a group stand for election if it follows {@code leaderId}, which lives but is not
     * reached by all. Any thread.
     */
    public void takeOver(String groupId, String leaderId) {
        JRaftGroup group = groups.get(groupId);
        if (group != null) {
            elections.takeOver(group, leaderId);
        }
    }

    /**
     * Has the membership tell of deaths. Whoever left in peace has handed over what it led; if not, that is found out
     * as fast.
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

    /**
     * Bytes of snapshots that were taken in from other nodes since the start, parts that had to be asked for again
     * included.
     */
    public long snapshotBytesReceived() {
        return snapshots == null ? 0 : snapshots.bytesReceived();
    }

    /** Copies that ended without a snapshot, since the start; a leader that is still there has them begun anew. */
    public long snapshotCopiesFailed() {
        return snapshots == null ? 0 : snapshots.copiesFailed();
    }

    public int snapshotCopiesUnderWay() {
        return snapshots == null ? 0 : snapshots.copiesUnderWay();
    }

    /** For tests, which damage what it sends; null when this node is alone. */
    @Nullable
    SnapshotTransfer snapshots() {
        return snapshots;
    }

    /** Groups must have been closed before. */
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
