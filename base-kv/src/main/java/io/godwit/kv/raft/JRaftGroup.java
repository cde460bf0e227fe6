package io.godwit.kv.raft;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.RaftGroupService;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.conf.Configuration;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.core.State;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.Task;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.storage.LogStorage;
import com.alipay.sofa.jraft.util.ThreadPoolsFactory;
import io.godwit.kv.raft.wire.PeerIds;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A replica that JRaft runs. Thread-safe. */
final class JRaftGroup implements RaftGroup {
    private static final Logger LOG = LoggerFactory.getLogger(JRaftGroup.class);

    private final RaftGroupService service;
    private final Node node;
    private final LogStorage log;
    private final ReadIndexCalls reads;
    private final Consumer<JRaftGroup> onHandOver;
    private final Runnable onClose;
    private final Consumer<RaftGroupService> stop;

    /**
     * @param log the log of this group, only read here
     * @param reads the ReadIndex calls of the node
     * @param onHandOver told when this replica, the leader, begins to hand over
     * @param onClose run before the replica is stopped
     * @param stop begins to stop the replica
     */
    JRaftGroup(
            RaftGroupService service,
            Node node,
            LogStorage log,
            ReadIndexCalls reads,
            Consumer<JRaftGroup> onHandOver,
            Runnable onClose,
            Consumer<RaftGroupService> stop) {
        this.service = service;
        this.node = node;
        this.log = log;
        this.reads = reads;
        this.onHandOver = onHandOver;
        this.onClose = onClose;
        this.stop = stop;
    }

    @Override
    public void append(byte[] entry, long term, Closure done) {
        try {
            node.apply(new Task(ByteBuffer.wrap(entry), done, term));
        } catch (IllegalStateException e) {
            // shutting down: JRaft has called done
            return;
        } catch (NullPointerException e) {
            // shut down, and JRaft's queue is gone: nobody has called done
            ThreadPoolsFactory.runClosureInThread(groupId(), done, stopped());
        }
    }

    private static Status stopped() {
        return new Status(RaftError.ENODESHUTDOWN, "the replica has stopped");
    }

    /**
     * Calls JRaft, which runs {@code done} once. During its shutdown JRaft also throws, before or instead of running
     * {@code done}.
     */
    private void ask(Closure done, Consumer<Closure> call) {
        Once once = new Once(done);
        try {
            call.accept(once);
        } catch (IllegalStateException | NullPointerException e) {
            LOG.debug("refused by a replica that stops group={} cause={}", groupId(), e.toString());
            ThreadPoolsFactory.runClosureInThread(groupId(), once, stopped());
        } catch (IllegalArgumentException e) { // the change has no effect: the node is a voter already, or is not one
            once.run(new Status(RaftError.EINVAL, "%s", e.getMessage()));
        }
    }

    /** Passes only the first result on. */
    private static final class Once implements Closure {
        private final AtomicReference<@Nullable Closure> done;

        Once(Closure done) {
            this.done = new AtomicReference<>(done);
        }

        @Override
        public void run(Status status) {
            Closure first = done.getAndSet(null);
            if (first != null) {
                first.run(status);
            }
        }
    }

    @Override
    public void readIndex(Consumer<Status> done) {
        reads.call(node, done);
    }

    @Override
    public void snapshot(Closure done) {
        ask(done, node::snapshot);
    }

    @Override
    public String groupId() {
        return node.getGroupId();
    }

    @Override
    public String leader() {
        PeerId leader = node.getLeaderId();
        return leader == null ? "" : leader.getIp();
    }

    @Override
    public Membership membership() {
        Configuration configuration = ((NodeImpl) node).getCurrentConf();
        return configuration == null
                ? new Membership(List.of(), List.of())
                : new Membership(ids(configuration.getPeers()), ids(configuration.getLearners()));
    }

    private static List<String> ids(Collection<PeerId> peers) {
        return peers.stream().map(PeerId::getIp).sorted().toList();
    }

    /** JRaft cannot promote a learner, so a learner is removed first. */
    @Override
    public void addVoter(String storeId, Closure done) {
        PeerId peer = PeerIds.peer(storeId);
        Configuration configuration = ((NodeImpl) node).getCurrentConf();
        if (configuration != null && configuration.getLearners().contains(peer)) {
            removeLearner(storeId, status -> {
                if (status.isOk()) {
                    addPeer(peer, done);
                } else {
                    done.run(status);
                }
            });
        } else {
            addPeer(peer, done);
        }
    }

    private void addPeer(PeerId peer, Closure done) {
        ask(done, once -> node.addPeer(peer, once));
    }

    @Override
    public void removeVoter(String storeId, Closure done) {
        ask(done, once -> node.removePeer(PeerIds.peer(storeId), once));
    }

    @Override
    public void addLearner(String storeId, Closure done) {
        ask(done, once -> node.addLearners(List.of(PeerIds.peer(storeId)), once));
    }

    @Override
    public void removeLearner(String storeId, Closure done) {
        ask(done, once -> node.removeLearners(List.of(PeerIds.peer(storeId)), once));
    }

    @Override
    public Status transferLeadershipTo(String storeId) {
        Status begun = node.transferLeadershipTo(PeerIds.peer(storeId));
        if (begun.isOk()) { // the other voter cannot have answered yet
            onHandOver.accept(this);
        }
        return begun;
    }

    @Override
    public boolean isHandingOver() {
        return ((NodeImpl) node).getNodeState() == State.STATE_TRANSFERRING;
    }

    @Override
    public boolean isLeading() {
        return ((NodeImpl) node).getNodeState() == State.STATE_LEADER;
    }

    @Override
    public long lastLogIndex() {
        try {
            return node.getLastLogIndex();
        } catch (IllegalStateException e) { // stopped
            return 0;
        }
    }

    /** The end of the stored log. Empty if the log is, even after a snapshot, whose term is not known here. */
    Optional<LogEnd> logEnd() {
        long index = log.getLastLogIndex();
        long term = termAt(index);
        return term == 0 ? Optional.empty() : Optional.of(new LogEnd(term, index));
    }

    @SuppressWarnings("deprecation") // deprecated in name only
    private long termAt(long index) {
        return log.getTerm(index);
    }

    @Override
    public long applyLag() {
        try {
            return Math.max(0, node.getLastCommittedIndex() - node.getLastAppliedLogIndex());
        } catch (IllegalStateException e) { // stopped
            return 0;
        }
    }

    @Override
    public boolean isStopped() {
        return !((NodeImpl) node).getNodeState().isActive();
    }

    @Override
    public Status resetVoters(Collection<String> voters) {
        return node.resetPeers(
                new Configuration(voters.stream().map(PeerIds::peer).toList()));
    }

    Node node() {
        return node;
    }

    @Override
    public void close() {
        onClose.run();
        stop.accept(service);
        try {
            service.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
