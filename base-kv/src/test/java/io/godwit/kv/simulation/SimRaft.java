package io.godwit.kv.simulation;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Iterator;
import com.alipay.sofa.jraft.StateMachine;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import com.google.protobuf.Message;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.SimRanges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Raft groups without threads, network or clock, with exactly JRaft's promises to a state machine. The driver picks the
 * next of the {@link #possible} steps: an entry does or does not reach a follower, a replica applies some committed
 * entries, a majority elects a leader while the former one still believes that it leads. Logs are durable as soon as
 * they are written; the node is responsible for applied state. The members of a group do not change.
 */
final class SimRaft {
    /** The parts of the simulation that a group uses. */
    interface World {
        Random random();

        /** Runs the task on the node later, in any order, unless the node dies before. */
        void later(SimNode node, Runnable task);

        /** A member without a replica is called. */
        void missing(String groupId, SimNode caller, String storeId);

        /** A replica is about to apply these entries. */
        void applying(Replica replica, List<Entry> entries);

        void applied(Replica replica);

        SimFault fault();

        /** Whether avoidable failures no longer happen. */
        boolean isCalm();
    }

    /** @param data null for a leader's first entry of its term */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Entry(long index, long term, byte @Nullable [] data) {
        boolean isCommand() {
            return data != null && data[1] != 1;
        }

        boolean isSplit() {
            return data != null && data[1] == 2;
        }
    }

    /** A node's disk for a group: the rest of its log, and the term. Survives crashes. */
    static final class Disk {
        private long baseIndex;
        private long baseTerm;
        private final List<Entry> entries = new ArrayList<>();
        private long term;
        private @Nullable Path snapshot;
        private long snapshotIndex;
        private long snapshotTerm;
        private boolean votesBlank;

        long lastIndex() {
            return baseIndex + entries.size();
        }

        long lastTerm() {
            return termAt(lastIndex());
        }

        long termAt(long index) {
            return index == baseIndex ? baseTerm : at(index).term();
        }

        Entry at(long index) {
            return entries.get((int) (index - baseIndex - 1));
        }

        void truncateAfter(long index) {
            entries.subList((int) (index - baseIndex), entries.size()).clear();
        }

        private void begin(long index, long beginTerm, @Nullable Path from) {
            baseIndex = index;
            baseTerm = beginTerm;
            entries.clear();
            snapshot = from;
            snapshotIndex = from == null ? 0 : index;
            snapshotTerm = beginTerm;
            term = Math.max(term, beginTerm);
        }

        private boolean mayVote() {
            return lastIndex() > 0 || votesBlank;
        }

        private void cutBefore(long index) {
            if (index > baseIndex) {
                baseTerm = termAt(index);
                entries.subList(0, (int) (index - baseIndex)).clear();
                baseIndex = index;
            }
        }
    }

    static final class Group {
        final String id;
        final List<String> voters;
        /** Only in the configuration. */
        final List<String> learners = new ArrayList<>();

        final Map<String, Disk> disks = new TreeMap<>();
        final Map<String, Replica> replicas = new TreeMap<>();
        private long maxTerm;

        Group(String id, List<String> voters) {
            this.id = id;
            this.voters = List.copyOf(voters);
        }

        private int majority() {
            return voters.size() / 2 + 1;
        }

        /** The last elected leader, if it still leads. */
        @Nullable
        Replica newestLeader() {
            return replicas.values().stream()
                    .filter(replica -> replica.leads && replica.leaderTerm == maxTerm)
                    .findFirst()
                    .orElse(null);
        }
    }

    private final World world;
    private final List<String> voters;
    private final Map<String, Group> groups = new TreeMap<>();
    /** Kinds of entries of which the next is refused, as if the log were too busy. */
    private final Set<Byte> refusedOnce = new TreeSet<>();

    /** The node that is not reached; empty for none. */
    private String cutOff = "";

    static long rangeOf(String groupId) {
        return Long.parseLong(groupId.substring(groupId.indexOf('-') + 1));
    }

    SimRaft(World world, List<String> voters) {
        this.world = world;
        this.voters = voters;
    }

    /** From now on no other node reaches this one; empty ends that. */
    void cutOff(String storeId) {
        cutOff = storeId;
    }

    /** Refuses the next entry of this kind. */
    void refuseOnce(byte kind) {
        refusedOnce.add(kind);
    }

    private boolean areApart(String one, String other) {
        return !one.equals(other) && (one.equals(cutOff) || other.equals(cutOff));
    }

    Collection<Group> groups() {
        return groups.values();
    }

    Group group(String id) {
        Group group = groups.get(id);
        if (group == null) {
            throw new IllegalStateException("no group " + id);
        }
        return group;
    }

    /** Removes the replicas of a node that died; their disks stay. */
    void crashed(SimNode node) {
        for (Group group : groups.values()) {
            Disk disk = group.disks.get(node.id());
            if (world.fault() == SimFault.LOG_TAIL_IS_LOST && disk != null) {
                disk.truncateAfter(Math.max(disk.snapshotIndex, disk.lastIndex() - 3));
            }
            Replica replica = group.replicas.remove(node.id());
            if (replica != null) {
                replica.closed = true;
            }
        }
    }

    /**
     * Starts a replica.
     *
     * @param bornWith the snapshot of a group that was created by a split and has never run here; null for any other
     *     group
     * @param isBlank whether it waits to be given all its data
     */
    Replica start(SimNode node, String groupId, StateMachine machine, @Nullable Path bornWith, boolean isBlank) {
        Group group = groups.computeIfAbsent(groupId, id -> new Group(id, voters));
        Disk disk = group.disks.computeIfAbsent(node.id(), id -> new Disk());
        if (bornWith != null) {
            disk.begin(1, 1, bornWith);
        }
        disk.votesBlank = !isBlank;
        group.maxTerm = Math.max(group.maxTerm, disk.term);
        Replica replica = new Replica(group, node, disk, machine);
        if (disk.snapshot != null && !machine.onSnapshotLoad(new Reader(disk))) {
            throw new IllegalStateException("snapshot of " + groupId + " not loaded on " + node.id());
        }
        group.replicas.put(node.id(), replica);
        return replica;
    }

    // --- steps

    /** Adds all possible steps, except elections while there is a leader. */
    void possible(List<Runnable> steps) {
        for (Group group : groups.values()) {
            for (Replica replica : group.replicas.values()) {
                replica.possible(steps);
            }
            Replica newest = group.newestLeader();
            if ((newest == null || newest.node.id().equals(cutOff))
                    && world.random().nextInt(10) == 0) {
                steps.add(() -> elect(group, null));
            }
        }
    }

    /** A majority elects one of its members, if it can; the former leader does not know if it is not one of them. */
    void elect(Group group, @Nullable String wanted) {
        List<Replica> able = new ArrayList<>();
        for (String voter : group.voters) {
            Replica replica = group.replicas.get(voter);
            if (replica != null && !replica.failed && replica.disk.mayVote() && !voter.equals(cutOff)) {
                able.add(replica);
            }
        }
        if (able.size() < group.majority()) {
            return;
        }
        Collections.shuffle(able, world.random());
        int size = group.majority() + world.random().nextInt(able.size() - group.majority() + 1);
        List<Replica> quorum = able.subList(0, size);
        Replica best = Collections.max(
                quorum,
                Comparator.comparingLong((Replica replica) -> replica.disk.lastTerm())
                        .thenComparingLong(replica -> replica.disk.lastIndex()));
        if (wanted != null) {
            Replica named = group.replicas.get(wanted);
            if (named == null
                    || !quorum.contains(named)
                    || named.disk.lastTerm() != best.disk.lastTerm()
                    || named.disk.lastIndex() != best.disk.lastIndex()) {
                return;
            }
            best = named;
        }
        long term = ++group.maxTerm;
        for (Replica voter : quorum) {
            voter.follow(term, "");
        }
        best.lead(term);
    }

    /** One replica of one group in one process of its node. */
    final class Replica implements RaftGroup {
        private final Group group;
        final SimNode node;
        private final Disk disk;
        private final StateMachine machine;
        private final Map<String, Long> match = new HashMap<>();
        private final Deque<Submitted> submitted = new ArrayDeque<>();
        private final Map<Long, Closure> closures = new TreeMap<>();
        private final List<Consumer<Status>> asked = new ArrayList<>();
        private final TreeMap<Long, List<Consumer<Status>>> confirmed = new TreeMap<>();
        private final Deque<Runnable> roles = new ArrayDeque<>();
        private boolean leads;
        private long leaderTerm;
        private long firstOwn;
        private boolean isToldToLead;
        private String leader = "";
        private String heir = "";
        private long commitIndex;
        private long applied;
        private boolean saving;
        private boolean closed;
        private boolean failed;

        @SuppressWarnings("ArrayRecordComponent") // never compared
        private record Submitted(byte[] data, long term, Closure done) {}

        Replica(Group group, SimNode node, Disk disk, StateMachine machine) {
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
            Replica newest = group.newestLeader();
            return newest != null
                    && newest.commitIndex == newest.disk.lastIndex()
                    && applied == newest.commitIndex
                    && (newest != this || roles.isEmpty() && isToldToLead);
        }

        private void possible(List<Runnable> steps) {
            if (!submitted.isEmpty()) {
                steps.add(this::takeSubmitted);
            }
            if (leads) {
                for (String voter : group.voters) {
                    if (!voter.equals(node.id()) && needs(voter) && !areApart(voter, node.id())) {
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
            if (!failed && applied < commitIndex) {
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
            Replica follower = group.replicas.get(voter);
            return follower == null
                    || match.getOrDefault(voter, 0L) < disk.lastIndex()
                    || follower.commitIndex < commitIndex
                    || !follower.leader.equals(node.id());
        }

        // --- leading

        private void lead(long term) {
            leads = true;
            leaderTerm = term;
            leader = node.id();
            match.clear();
            isToldToLead = false;
            disk.entries.add(new Entry(disk.lastIndex() + 1, term, null));
            firstOwn = disk.lastIndex();
        }

        private void tellToLead() {
            isToldToLead = true;
            machine.onLeaderStart(leaderTerm);
        }

        private void follow(long term, String newLeader) {
            disk.term = term;
            leader = newLeader;
            if (leads) {
                leads = false;
                heir = "";
                closures.values().forEach(done -> refuse(done, RaftError.EPERM));
                closures.clear();
                roles.add(() -> machine.onLeaderStop(new Status(RaftError.EPERM, "stepped down")));
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
                    disk.entries.add(new Entry(disk.lastIndex() + 1, leaderTerm, next.data()));
                    closures.put(disk.lastIndex(), next.done());
                    if (world.fault() == SimFault.ACKNOWLEDGED_BEFORE_COMMIT) {
                        commitIndex = disk.lastIndex();
                    }
                }
            }
        }

        private void replicate(String voter) {
            Replica follower = group.replicas.get(voter);
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

        private void install(Disk from) {
            disk.begin(from.snapshotIndex, from.snapshotTerm, from.snapshot);
            if (!machine.onSnapshotLoad(new Reader(disk))) {
                throw new IllegalStateException("snapshot of " + group.id + " not loaded on " + node.id());
            }
            applied = from.snapshotIndex;
            commitIndex = Math.max(commitIndex, applied);
            world.applied(this);
        }

        private void handOver() {
            if (world.random().nextInt(4) == 0) {
                heir = ""; // it took too long
            } else if (disk.lastIndex() == match.getOrDefault(heir, 0L)) {
                elect(group, heir);
            }
        }

        // --- applying

        private void apply() {
            long last = Math.min(commitIndex, applied + 1 + world.random().nextInt(5));
            while (applied < last) {
                List<Entry> run = new ArrayList<>();
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
            private final List<Entry> entries;
            private int at;
            private boolean hasFailed;

            Run(List<Entry> entries) {
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
            Replica by = leads ? this : leader.isEmpty() ? null : group.replicas.get(leader);
            if (by == null
                    || areApart(by.node.id(), node.id())
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
                            && !areApart(replica.node.id(), node.id()))
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
                    || refusedOnce.remove(entry[1])
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
            machine.onSnapshotSave(new Writer(target, index, term), status -> {
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

        @Override
        public Status transferLeadershipTo(String storeId) {
            if (!leads || !heir.isEmpty() || storeId.equals(node.id()) || !group.voters.contains(storeId)) {
                return new Status(RaftError.EBUSY, "simulated");
            }
            heir = storeId;
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

    private static SnapshotMeta meta(long index, long term) {
        return SnapshotMeta.newBuilder()
                .setLastIncludedIndex(index)
                .setLastIncludedTerm(term)
                .build();
    }

    private static final class Reader extends SnapshotReader {
        private final Disk disk;

        Reader(Disk disk) {
            this.disk = disk;
        }

        @Override
        public SnapshotMeta load() {
            return meta(disk.snapshotIndex, disk.snapshotTerm);
        }

        @Override
        public String getPath() {
            return String.valueOf(disk.snapshot);
        }

        @Override
        public String generateURIForCopy() {
            return "";
        }

        @Override
        public Set<String> listFiles() {
            return Set.of();
        }

        @Override
        public @Nullable Message getFileMeta(String fileName) {
            return null;
        }

        @Override
        public boolean init(Void unused) {
            return true;
        }

        @Override
        public void shutdown() {}

        @Override
        public void close() {}
    }

    private static final class Writer extends SnapshotWriter {
        private final Path path;
        private final SnapshotMeta meta;
        private final Set<String> files = new TreeSet<>();

        Writer(Path path, long index, long term) {
            this.path = path;
            this.meta = meta(index, term);
        }

        @Override
        public boolean saveMeta(SnapshotMeta saved) {
            return true;
        }

        @Override
        public boolean addFile(String fileName, Message fileMeta) {
            return files.add(fileName);
        }

        @Override
        public boolean removeFile(String fileName) {
            return files.remove(fileName);
        }

        @Override
        public SnapshotMeta getCurrentMeta() {
            return meta;
        }

        @Override
        public void close(boolean keepDataOnError) throws IOException {}

        @Override
        public String getPath() {
            return path.toString();
        }

        @Override
        public Set<String> listFiles() {
            return files;
        }

        @Override
        public @Nullable Message getFileMeta(String fileName) {
            return null;
        }

        @Override
        public boolean init(Void unused) {
            return true;
        }

        @Override
        public void shutdown() {}

        @Override
        public void close() {}
    }
}
