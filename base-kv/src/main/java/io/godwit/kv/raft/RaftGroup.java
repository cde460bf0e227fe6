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
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** A running replica of a Raft group. Thread-safe; nothing but {@link #close} blocks. */
public final class RaftGroup implements AutoCloseable {
    private final RaftGroupService service;
    private final Node node;
    private final ReadIndexCalls reads;
    private final Runnable onClose;
    private final Consumer<RaftGroupService> stop;

    /**
     * @param reads the node's
     * @param onClose run before the replica is stopped
     * @param stop begins to stop it
     */
    RaftGroup(
            RaftGroupService service,
            Node node,
            ReadIndexCalls reads,
            Runnable onClose,
            Consumer<RaftGroupService> stop) {
        this.service = service;
        this.node = node;
        this.reads = reads;
        this.onClose = onClose;
        this.stop = stop;
    }

    /**
     * Who takes part in a group, by store id.
     *
     * @param learners get all entries and do not vote
     */
    public record Membership(List<String> voters, List<String> learners) {
        public Membership {
            voters = List.copyOf(voters);
            learners = List.copyOf(learners);
        }

        /** In whatever order. */
        public boolean isSameAs(Membership other) {
            return Set.copyOf(voters).equals(Set.copyOf(other.voters))
                    && Set.copyOf(learners).equals(Set.copyOf(other.learners));
        }
    }

    /** Appends if this node still leads {@code term}; {@code done} runs on a thread of JRaft, with an error, unless it is applied. */
    public void append(byte[] entry, long term, Closure done) {
        try {
            node.apply(new Task(ByteBuffer.wrap(entry), done, term));
        } catch (IllegalStateException e) {
            // shutting down: done has been told
            return;
        }
    }

    /**
     * Asks for a point in the log that holds all that was acknowledged anywhere before this call, and waits until it is applied here.
     *
     * @param done told once, within seconds, whether it was; on a thread of JRaft or a timer's, so it must only hand on
     */
    public void readIndex(Consumer<Status> done) {
        reads.call(node, done);
    }

    /**
     * Lets the followers know how far entries are committed, which they would hear with the next append or heartbeat, so that they apply them
     * now; on the leader. Costs a heartbeat to each. A follower that has not acknowledged the entries yet learns nothing by it: whoever waits
     * for it announces again.
     */
    public void announceCommit() {
        // the heartbeats that confirm the index have carried it; if they failed, the next ones will
        readIndex(status -> {});
    }

    /** Not for the apply thread, which it may wait for. */
    public void snapshot(Closure done) {
        node.snapshot(done);
    }

    public String groupId() {
        return node.getGroupId();
    }

    /** The leader's store id as this replica knows it; empty while it knows none. */
    public String leader() {
        PeerId leader = node.getLeaderId();
        return leader == null ? "" : leader.getIp();
    }

    /** Who takes part, as far as this replica knows: a change may be under way. */
    public Membership membership() {
        Configuration configuration = ((NodeImpl) node).getCurrentConf();
        return configuration == null
                ? new Membership(List.of(), List.of())
                : new Membership(ids(configuration.getPeers()), ids(configuration.getLearners()));
    }

    private static List<String> ids(Collection<PeerId> peers) {
        return peers.stream().map(PeerId::getIp).sorted().toList();
    }

    /**
     * Makes a node a voter, on the leader. {@code done} is told when the group goes by it; with an error when this replica does not lead,
     * another change is under way, or the node does not catch up. JRaft has no step from
     * learner to voter, so a learner is made none first, and gets no entries until it is a voter; it keeps what it has.
     */
    public void addVoter(String storeId, Closure done) {
        PeerId peer = RaftHost.peer(storeId);
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
        try {
            node.addPeer(peer, done);
        } catch (IllegalArgumentException e) { // it is a voter
            done.run(new Status(RaftError.EINVAL, "%s", e.getMessage()));
        }
    }

    /** Makes a voter none, on the leader, which may remove itself; as {@link #addVoter}. */
    public void removeVoter(String storeId, Closure done) {
        try {
            node.removePeer(RaftHost.peer(storeId), done);
        } catch (IllegalArgumentException e) { // it is none
            done.run(new Status(RaftError.EINVAL, "%s", e.getMessage()));
        }
    }

    /** As {@link #addVoter}. */
    public void addLearner(String storeId, Closure done) {
        node.addLearners(List.of(RaftHost.peer(storeId)), done);
    }

    /** As {@link #addVoter}. */
    public void removeLearner(String storeId, Closure done) {
        node.removeLearners(List.of(RaftHost.peer(storeId)), done);
    }

    /**
     * Has the leader, which this must be, hand over to a voter: no more entries are taken until that has them all and leads, or an election
     * timeout has passed. Returns whether it has begun.
     */
    public Status transferLeadershipTo(String storeId) {
        return node.transferLeadershipTo(RaftHost.peer(storeId));
    }

    /** Whether {@link #transferLeadershipTo} is under way. */
    public boolean isHandingOver() {
        return ((NodeImpl) node).getNodeState() == State.STATE_TRANSFERRING;
    }

    /** Whether this replica leads, as far as it knows. */
    public boolean isLeading() {
        return ((NodeImpl) node).getNodeState() == State.STATE_LEADER;
    }

    /** Index of the last entry in this replica's log, or of the snapshot that it begins behind; 0 when it has stopped. */
    public long lastLogIndex() {
        try {
            return node.getLastLogIndex();
        } catch (IllegalStateException e) { // stopped
            return 0;
        }
    }

    /** Whether the replica has stopped after an error, or was closed. */
    public boolean isStopped() {
        return !((NodeImpl) node).getNodeState().isActive();
    }

    /**
     * Makes {@code voters} the group's only members, on this replica's word alone, without a majority of those there were: for a group
     * whose majority is lost for ever. Whatever only the lost ones had is lost. Blocks.
     */
    public Status resetVoters(Collection<String> voters) {
        return node.resetPeers(
                new Configuration(voters.stream().map(RaftHost::peer).toList()));
    }

    Node node() {
        return node;
    }

    /** Stops the replica and waits until nothing of it runs any more. */
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
