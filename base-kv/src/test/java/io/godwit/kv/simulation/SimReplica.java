package io.godwit.kv.simulation;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Iterator;
import com.alipay.sofa.jraft.StateMachine;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.error.RaftError;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.SimRanges;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One replica of one group in one process of its node. It changes only in the steps of the simulation. */
final class SimReplica implements RaftGroup {
    private final SimRaft raft;
    private final SimRaft.World world;
    private final SimGroup group;
    final SimNode node;
    final SimDisk disk;
    private final StateMachine machine;
    private final Map<String, Long> match = new HashMap<>();
    private final Deque<Submitted> submitted = new ArrayDeque<>();
    private final Map<Long, Closure> closures = new TreeMap<>();
    private final List<Consumer<Status>> asked = new ArrayList<>();
    private final TreeMap<Long, List<Consumer<Status>>> confirmed = new TreeMap<>();
    private final Deque<Runnable> roles = new ArrayDeque<>();
    boolean leads;
    long leaderTerm;
    private long firstOwn;
    /** Whether the leadership of this term has begun; it stays so while it is handed over. */
    private boolean isToldToLead;

    private String leader = "";
    private String heir = "";
    private long commitIndex;
    private long applied;
    private boolean saving;
    boolean closed;
    boolean failed;
    /** Set by a test: entries are stored and not applied. */
    boolean holds;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Submitted(byte[] data, long term, Closure done) {}

    SimReplica(SimRaft raft, SimGroup group, SimNode node, SimDisk disk, StateMachine machine) {
        this.raft = raft;
        this.world = raft.world();
        this.group = group;
        this.node = node;
        this.disk = disk;
        this.machine = machine;
        // like JRaft: again from the snapshot on, whatever the database has
        this.applied = disk.snapshotIndex;
        this.commitIndex = disk.snapshotIndex;
    }

    long applied() {
        return applied;
    }

    @Override
    public String toString() {
        return group.id + "@" + node.id() + " of term " + disk.term + (leads ? " leads" : "");
    }

    long leaderTerm() {
        return leaderTerm;
    }

    boolean isLeaderless() {
        return group.newestLeader() == null;
    }

    boolean leadsNewestTerm() {
        return leads && leaderTerm == group.maxTerm;
    }

    /** Whether all entries have arrived here and been applied. */
    boolean isCurrent() {
        SimReplica newest = group.newestLeader();
        return newest != null
                && newest.commitIndex == newest.disk.lastIndex()
                && applied == newest.commitIndex
                && (newest != this || roles.isEmpty() && isToldToLead);
    }

    void possible(List<Runnable> steps) {
        if (!submitted.isEmpty()) {
            steps.add(this::takeSubmitted);
        }
        if (leads) {
            for (String voter : group.voters) {
                if (!voter.equals(node.id()) && needs(voter) && !raft.areApart(voter, node.id())) {
                    steps.add(() -> replicate(voter));
                }
            }
            if (!isToldToLead && applied >= firstOwn && roles.isEmpty()) {
                steps.add(this::tellToLead);
            }
            if (!heir.isEmpty()) {
                steps.add(this::handOver);
            }
        }
        if (!failed && !holds && applied < commitIndex) {
            steps.add(this::apply);
        }
        if (!roles.isEmpty()) {
            steps.add(() -> roles.remove().run());
        }
        if (!asked.isEmpty()) {
            steps.add(this::confirmReads);
        }
        if (!confirmed.isEmpty() && confirmed.firstKey() <= applied) {
            steps.add(this::answerReads);
        }
    }

    private boolean needs(String voter) {
        SimReplica follower = group.replicas.get(voter);
        return follower == null
                || match.getOrDefault(voter, 0L) < disk.lastIndex()
                || follower.commitIndex < commitIndex
                || !follower.leader.equals(node.id());
    }

    // --- leading

    void lead(long term) {
        leads = true;
        leaderTerm = term;
        group.leaders.put(term, node.id());
        leader = node.id();
        match.clear();
        isToldToLead = false;
        disk.entries.add(new SimDisk.Entry(disk.lastIndex() + 1, term, null));
        firstOwn = disk.lastIndex();
    }

    private void tellToLead() {
        isToldToLead = true;
        machine.onLeaderStart(leaderTerm);
    }

    void follow(long term, String newLeader) {
        disk.term = term;
        leader = newLeader;
        if (leads) {
            leads = false;
            closures.values().forEach(done -> refuse(done, RaftError.EPERM));
            closures.clear();
            if (heir.isEmpty()) { // otherwise it was told when the hand-over began
                roles.add(() -> machine.onLeaderStop(new Status(RaftError.EPERM, "stepped down")));
            }
            heir = "";
        }
    }

    private void refuse(Closure done, RaftError error) {
        world.later(node, () -> done.run(new Status(error, "simulated")));
    }

    private void takeSubmitted() {
        while (!submitted.isEmpty()) {
            Submitted next = submitted.remove();
            if (!leads || leaderTerm != next.term()) {
                refuse(next.done(), RaftError.EPERM);
            } else if (!heir.isEmpty()) {
                refuse(next.done(), RaftError.EBUSY);
            } else {
                disk.entries.add(new SimDisk.Entry(disk.lastIndex() + 1, leaderTerm, next.data()));
                closures.put(disk.lastIndex(), next.done());
                if (world.fault() == SimFault.ACKNOWLEDGED_BEFORE_COMMIT) {
                    commitIndex = disk.lastIndex();
                }
            }
        }
    }

    private void replicate(String voter) {
        SimReplica follower = group.replicas.get(voter);
        if (follower == null) {
            world.missing(group.id, node, voter);
            return;
        }
        if (follower.disk.term > leaderTerm) {
            follow(follower.disk.term, "");
            return;
        }
        if (follower.disk.term < leaderTerm || !follower.leader.equals(node.id())) {
            follower.follow(leaderTerm, node.id());
        }
        if (follower.disk.lastIndex() < disk.baseIndex) {
            follower.install(disk);
        }
        long same = Math.min(disk.lastIndex(), follower.disk.lastIndex());
        while (same > Math.max(disk.baseIndex, follower.disk.baseIndex)
                && disk.termAt(same) != follower.disk.termAt(same)) {
            same--;
        }
        long last = Math.min(disk.lastIndex(), same + world.random().nextInt(6));
        for (long index = same + 1; index <= last; index++) {
            if (index <= follower.disk.lastIndex()) {
                if (index <= follower.applied && world.fault() == SimFault.NONE) {
                    throw new IllegalStateException(
                            "entry " + index + " of " + group.id + " was applied and is replaced");
                }
                follower.disk.truncateAfter(index - 1);
            }
            follower.disk.entries.add(disk.at(index));
        }
        if (world.random().nextInt(10) > 0) { // otherwise the answer is lost
            match.merge(voter, last, Math::max);
            advanceCommit();
        }
        follower.commitIndex = Math.max(follower.commitIndex, Math.min(commitIndex, last));
    }

    private void advanceCommit() {
        List<Long> has = new ArrayList<>();
        group.voters.forEach(
                voter -> has.add(voter.equals(node.id()) ? disk.lastIndex() : match.getOrDefault(voter, 0L)));
        has.sort(Comparator.reverseOrder());
        long index = has.get(group.majority() - 1);
        if (index > commitIndex && disk.termAt(index) == leaderTerm) {
            commitIndex = index;
        }
    }

    private void install(SimDisk from) {
        disk.begin(from.snapshotIndex, from.snapshotTerm, from.snapshot);
        if (!machine.onSnapshotLoad(new SimSnapshots.Reader(disk))) {
            throw new IllegalStateException("snapshot of " + group.id + " not loaded on " + node.id());
        }
        applied = from.snapshotIndex;
        commitIndex = Math.max(commitIndex, applied);
        world.applied(this);
    }

    private void handOver() {
        if (world.random().nextInt(4) == 0) {
            heir = ""; // it took too long: this replica leads on, and is told so before it can hand over again
            long term = leaderTerm;
            roles.add(() -> machine.onLeaderStart(term));
        } else if (disk.lastIndex() == match.getOrDefault(heir, 0L)) {
            raft.elect(group, heir);
        }
    }

    // --- applying

    private void apply() {
        long last = Math.min(commitIndex, applied + 1 + world.random().nextInt(5));
        while (applied < last) {
            List<SimDisk.Entry> run = new ArrayList<>();
            long index = applied + 1;
            for (; index <= last && disk.at(index).data() != null; index++) {
                run.add(disk.at(index));
            }
            if (run.isEmpty()) {
                applied++;
                continue;
            }
            world.applying(this, run);
            Run entries = new Run(run);
            machine.onApply(entries);
            if (entries.hasFailed) {
                failed = true;
                return;
            }
            applied = index - 1;
            run.forEach(entry -> closures.remove(entry.index()));
        }
        world.applied(this);
    }

    /** Entries as JRaft passes them. */
    private final class Run implements Iterator {
        private final List<SimDisk.Entry> entries;
        private int at;
        private boolean hasFailed;

        Run(List<SimDisk.Entry> entries) {
            this.entries = entries;
        }

        @Override
        public boolean hasNext() {
            return at < entries.size();
        }

        @Override
        public ByteBuffer next() {
            ByteBuffer data = getData();
            at++;
            return data;
        }

        @Override
        public ByteBuffer getData() {
            byte[] data = entries.get(at).data();
            if (data != null && world.fault() == SimFault.MERGE_COPIES_NOTHING) {
                data = SimRanges.withoutCopies(data);
            }
            return ByteBuffer.wrap(data == null ? new byte[0] : data);
        }

        @Override
        public long getIndex() {
            return entries.get(at).index();
        }

        @Override
        public long getTerm() {
            return entries.get(at).term();
        }

        @Override
        public @Nullable Closure done() {
            return closures.get(entries.get(at).index());
        }

        @Override
        public void setErrorAndRollback(long ntail, Status status) {
            node.goOnDying();
            hasFailed = true;
        }

        @Override
        public void setAutoCommitPerLog(boolean status) {}

        @Override
        public boolean commit() {
            return false;
        }

        @Override
        public void commitAndSnapshotSync(Closure done) {}
    }

    // --- reads

    private void confirmReads() {
        List<Consumer<Status>> reads = new ArrayList<>(asked);
        asked.clear();
        SimReplica by = leads ? this : leader.isEmpty() ? null : group.replicas.get(leader);
        if (by == null
                || raft.areApart(by.node.id(), node.id())
                || !by.mayAnswer()
                || world.random().nextInt(20) == 0) {
            reads.forEach(read -> world.later(node, () -> read.accept(new Status(RaftError.EPERM, "simulated"))));
        } else {
            confirmed
                    .computeIfAbsent(by.commitIndex, index -> new ArrayList<>())
                    .addAll(reads);
        }
    }

    private boolean mayAnswer() {
        if (!leads || commitIndex < firstOwn) {
            return false;
        }
        long following = group.voters.stream()
                .map(group.replicas::get)
                .filter(replica -> replica != null
                        && replica.disk.term <= leaderTerm
                        && !raft.areApart(replica.node.id(), node.id()))
                .count();
        return following >= group.majority() || world.fault() == SimFault.READS_WITHOUT_A_MAJORITY;
    }

    private void answerReads() {
        List<Consumer<Status>> reads = confirmed.pollFirstEntry().getValue();
        reads.forEach(read -> world.later(node, () -> read.accept(Status.OK())));
    }

    // --- called by the range

    @Override
    public String groupId() {
        return group.id;
    }

    @Override
    public void append(byte[] entry, long term, Closure done) {
        if (closed
                || raft.takeRefusal(entry[1])
                || !world.isCalm() && world.random().nextInt(50) == 0) {
            refuse(done, closed ? RaftError.EPERM : RaftError.EBUSY);
        } else {
            submitted.add(new Submitted(entry, term, done));
        }
    }

    @Override
    public void readIndex(Consumer<Status> done) {
        asked.add(done);
    }

    @Override
    public void snapshot(Closure done) {
        world.later(node, () -> save(done));
    }

    private void save(Closure done) {
        if (closed || failed || saving || applied <= disk.snapshotIndex) {
            done.run(new Status(RaftError.EBUSY, "simulated"));
            return;
        }
        saving = true;
        boolean claims = world.fault() == SimFault.SNAPSHOT_CLAIMS_TOO_MUCH && applied < commitIndex;
        long index = claims ? applied + 1 : applied;
        long term = disk.termAt(index);
        Path target = node.newSnapshot();
        machine.onSnapshotSave(new SimSnapshots.Writer(target, index, term), status -> {
            saving = false;
            if (status.isOk() && !closed && index > disk.snapshotIndex) {
                disk.cutBefore(disk.snapshotIndex);
                disk.snapshot = target;
                disk.snapshotIndex = index;
                disk.snapshotTerm = term;
            }
            done.run(status);
        });
    }

    @Override
    public String leader() {
        return leader;
    }

    @Override
    public Membership membership() {
        return new Membership(group.voters, List.copyOf(group.learners));
    }

    @Override
    public void addVoter(String storeId, Closure done) {
        refuse(done, RaftError.EINVAL);
    }

    @Override
    public void removeVoter(String storeId, Closure done) {
        refuse(done, RaftError.EINVAL);
    }

    @Override
    public void addLearner(String storeId, Closure done) {
        refuse(done, RaftError.EINVAL);
    }

    @Override
    public void removeLearner(String storeId, Closure done) {
        refuse(done, RaftError.EINVAL);
    }

    /**
     * JRaft refuses this until the first entry of the term, which has the members, is committed. So a leadership begins
     * before it is handed over, and what is reported of it alternates.
     */
    @Override
    public Status transferLeadershipTo(String storeId) {
        if (!leads
                || !isToldToLead
                || !heir.isEmpty()
                || storeId.equals(node.id())
                || !group.voters.contains(storeId)) {
            return new Status(RaftError.EBUSY, "simulated");
        }
        heir = storeId;
        roles.add(() -> machine.onLeaderStop(new Status(RaftError.ETRANSFERLEADERSHIP, "simulated")));
        return Status.OK();
    }

    @Override
    public boolean isHandingOver() {
        return leads && !heir.isEmpty();
    }

    @Override
    public boolean isLeading() {
        return leads && heir.isEmpty();
    }

    @Override
    public long lastLogIndex() {
        return closed ? 0 : disk.lastIndex();
    }

    @Override
    public boolean isStopped() {
        return closed || failed;
    }

    @Override
    public Status resetVoters(Collection<String> names) {
        return new Status(RaftError.EINVAL, "simulated");
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            leads = false;
            group.replicas.remove(node.id(), this);
            closures.values().forEach(done -> refuse(done, RaftError.EPERM));
            closures.clear();
        }
    }
}
