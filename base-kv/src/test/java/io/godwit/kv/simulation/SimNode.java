package io.godwit.kv.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.alipay.sofa.jraft.StateMachine;
import io.godwit.kv.coprocessor.LeaderContext;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCoprocessor;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeLeader;
import io.godwit.kv.coprocessor.RangeReader;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.kv.disk.DurableFiles;
import io.godwit.kv.facts.ClusterFacts;
import io.godwit.kv.peers.OwnReport;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.raft.RaftGroups;
import io.godwit.kv.raft.log.SharedRaftLog;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.data.RangeDb;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.range.replica.DiskRoom;
import io.godwit.kv.range.replica.RangeEnvironment;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.remote.ReplicaReport;
import io.godwit.kv.store.DiskGuard;
import io.godwit.kv.store.RangeDescriptor;
import io.godwit.kv.store.StoreFiles;
import io.godwit.kv.store.StoreRanges;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import io.godwit.plugin.balance.RangeLoad;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A node of a {@link RangeSimulation}: the real ranges, databases and files of one store; its threads are a list of
 * tasks that the simulation picks from. A crash leaves a copy of what is on disk, which the next process continues
 * with; what was only in memory is lost.
 */
final class SimNode implements RaftGroups {
    static final String STORE = "sim";
    static final long LEADER_WAIT_MILLIS = 3_000;

    /** Where a process may end within a step: between writes to different files. */
    enum CrashPoint {
        /** The child's files are there, its register is not. */
        CHILD_IS_NOT_REGISTERED,
        CHILD_IS_REGISTERED,
        /** The range's own state is in its database, and nobody knows of it. */
        STATE_IS_WRITTEN
    }

    /** Ends a process of a node; only the simulation catches it. */
    static final class Crash extends Error {
        private static final long serialVersionUID = 1;

        private final transient SimNode node;

        Crash(SimNode node, CrashPoint point) {
            super(point.toString());
            this.node = node;
        }

        SimNode node() {
            return node;
        }
    }

    /** The coprocessor of its ranges, which dies when its node does. */
    private final class Appending extends AppendCoprocessor {
        @Override
        public void open(RangeBounds opened, RangeReader latest) {
            reach(CrashPoint.STATE_IS_WRITTEN);
            tell(opened, latest);
        }

        @Override
        public void boundsChanged(RangeBounds before, RangeBounds now, RangeReader latest) {
            reach(CrashPoint.STATE_IS_WRITTEN);
            RangeBounds added = now.addedTo(before);
            if (added != null) {
                tell(added, latest);
            }
        }

        private void tell(RangeBounds within, RangeReader latest) {
            try (RangeCursor cursor = latest.cursor(within.start(), within.end())) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    tell(new String(cursor.key(), UTF_8), new String(cursor.value(), UTF_8));
                }
            }
        }

        @Override
        public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
            List<byte[]> replies = super.apply(writes, mutations, afterCommit);
            for (int i = 0; i < replies.size(); i++) {
                String key = new String(mutations.get(i), UTF_8).replaceFirst("=.*", "");
                String value = new String(replies.get(i), UTF_8);
                afterCommit.accept(() -> tell(key, value));
            }
            return replies;
        }

        /** Values only grow, but a replica that is behind a merge or a split may report an older one later. */
        private void tell(String key, String value) {
            told.merge(key, value, (one, other) -> one.length() >= other.length() ? one : other);
        }

        @Override
        public RangeLeader lead(LeaderContext context) {
            return new SimLeader(context);
        }
    }

    private final String id;
    private final RangeSimulation world;
    private final Path root;
    private final RocksResources rocks;
    private final OwnReport own;
    private final List<Runnable> tasks = new ArrayList<>();
    /** What its coprocessors were told, by key. */
    private final Map<String, String> told = new HashMap<>();

    private final Set<Long> seen = new HashSet<>();
    private Path directory;
    private int life;
    private boolean up;
    private int snapshots;
    private @Nullable CrashPoint armed;
    /** Thrown where code catches everything; see {@link #goOnDying}. */
    private @Nullable Crash dying;

    private @Nullable Path logBefore;
    /** Groups whose empty replica was being replaced when the process ended: no longer in the register. */
    private final Set<String> deregistered = new HashSet<>();

    private @Nullable SharedRaftLog log;
    private @Nullable StoreRanges ranges;

    SimNode(String id, RangeSimulation world, Path root, RocksResources rocks) throws IOException {
        this.id = id;
        this.world = world;
        this.root = root;
        this.rocks = rocks;
        this.directory = root.resolve(id + "-0");
        DiskGuard.Disk ample = new DiskGuard.Disk() {
            @Override
            public long usableBytes() {
                return 1L << 40;
            }

            @Override
            public long totalBytes() {
                return 1L << 40;
            }
        };
        this.own = new OwnReport(
                id,
                1,
                () -> List.of(ranges()),
                () -> false,
                () -> true,
                new DiskGuard(ample, OptionalLong.empty(), () -> {}),
                () -> ClusterFacts.NONE);
    }

    String id() {
        return id;
    }

    boolean isUp() {
        return up;
    }

    List<Runnable> tasks() {
        return tasks;
    }

    StoreRanges ranges() {
        StoreRanges open = ranges;
        if (open == null) {
            throw new IllegalStateException(id + " is down");
        }
        return open;
    }

    @Nullable
    SharedRaftLog log() {
        return log;
    }

    /** Creates the store with one range of these voters, as if they had all been given a replica. */
    void create(List<String> voters) throws IOException {
        try (SharedRaftLog made = openLog()) {
            StoreFiles making = files(made);
            RangeDescriptor whole = new RangeDescriptor(STORE, 1, 1, new RangeBounds(new byte[0], null), voters);
            RangeDb.open(making.databaseOf(whole), whole.born(), rocks, true).close();
            DurableFiles.createDirectories(making.snapshotsOf(whole));
            made.putDescriptor(whole.groupId(), whole.encode());
        }
    }

    private SharedRaftLog openLog() throws IOException {
        Files.createDirectories(directory);
        return SharedRaftLog.open(directory.resolve("raft-log"), (what, cause) -> world.fault(this, what, cause));
    }

    private StoreFiles files(SharedRaftLog of) {
        return new StoreFiles(directory, directory.resolve("raft-log"), of, rocks, id, false);
    }

    Map<String, String> told() {
        return told;
    }

    // --- start and end of processes

    void start() throws IOException {
        up = true;
        told.clear();
        armed = null;
        dying = null;
        SharedRaftLog opened = openLog();
        log = opened;
        StoreFiles ownFiles = files(opened);
        int current = life;
        Executor any = task -> {
            if (current == life) {
                tasks.add(task);
            }
        };
        RangeEnvironment environment = new RangeEnvironment(
                this,
                any,
                any,
                any,
                any,
                timers(current),
                world::nanoTime,
                () -> DiskRoom.AMPLE,
                new LongAdder(),
                new RangeSettings(1 << 20, 1_500, LEADER_WAIT_MILLIS));
        StoreSpec spec = new StoreSpec(STORE, this::coprocessor, List.of());
        StoreRanges opening =
                new StoreRanges(spec, ownFiles, environment, (what, cause) -> world.fault(this, what, cause));
        opening.open();
        ranges = opening;
        opening.onChange(() -> {
            if (current == life) {
                world.noticed(this);
            }
        });
        opening.start();
        newRanges();
    }

    /** The ranges that were added since the last call. */
    List<Range> newRanges() {
        return ranges().all().stream().filter(range -> seen.add(range.id())).toList();
    }

    private RangeCoprocessor coprocessor() {
        reach(CrashPoint.CHILD_IS_NOT_REGISTERED);
        reach(CrashPoint.CHILD_IS_REGISTERED);
        return new Appending();
    }

    private ScheduledExecutorService timers(int current) {
        return (ScheduledExecutorService) Proxy.newProxyInstance(
                SimNode.class.getClassLoader(),
                new Class<?>[] {ScheduledExecutorService.class},
                (proxy, method, args) -> {
                    if (!method.getName().equals("schedule")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    world.at(((TimeUnit) args[2]).toMillis((Long) args[1]), () -> {
                        if (current == life) {
                            ((Runnable) args[0]).run();
                        }
                    });
                    return null;
                });
    }

    /** Lets the process end at {@code point}, if it gets there. */
    void arm(CrashPoint point) {
        armed = point;
        if (point == CrashPoint.CHILD_IS_NOT_REGISTERED) {
            keepLog();
        }
    }

    void disarm() {
        armed = null;
    }

    private void reach(CrashPoint point) {
        if (armed == point) {
            armed = null;
            SharedRaftLog open = log;
            if (point == CrashPoint.CHILD_IS_NOT_REGISTERED && open != null) {
                open.descriptors().stream()
                        .map(Map.Entry::getKey)
                        .filter(groupId -> !world.raft().runs(groupId, id))
                        .forEach(deregistered::add);
            }
            Crash crash = new Crash(this, point);
            dying = crash;
            throw crash;
        }
    }

    /** Throws the crash again if it was caught as an ordinary failure. */
    void goOnDying() {
        Crash crash = dying;
        if (crash != null) {
            throw crash;
        }
    }

    /** Keeps the present register, which comes back with the next crash. */
    void keepLog() {
        Path kept = root.resolve(id + "-log-" + world.next());
        try {
            copy(directory.resolve("raft-log"), kept.resolve("raft-log"));
            Path synced = directory.resolve("raft-log.synced");
            if (Files.exists(synced)) {
                Files.copy(synced, kept.resolve("raft-log.synced"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        logBefore = kept;
    }

    void forgetKeptLog() {
        logBefore = null;
    }

    boolean hasKeptLog() {
        return logBefore != null;
    }

    /** Ends the process: what is on disk survives, everything else is lost. */
    void crash() throws IOException {
        up = false;
        life++;
        tasks.clear();
        seen.clear();
        Path before = directory;
        Path next = root.resolve(id + "-" + life);
        copy(before, next);
        Path keptLog = logBefore;
        if (keptLog != null) {
            delete(next.resolve("raft-log"));
            Files.deleteIfExists(next.resolve("raft-log.synced"));
            copy(keptLog, tree(keptLog), next);
            logBefore = null;
            forgetReplaced(next);
        }
        deregistered.clear();
        StoreRanges gone = ranges;
        SharedRaftLog goneLog = log;
        if (gone != null && goneLog != null) {
            gone.all().forEach(Range::close); // frees the memory; the copy was made before later writes
            goneLog.close();
        }
        ranges = null;
        log = null;
        delete(before);
        directory = next;
    }

    /** The kept register still has a replica that the process had begun to replace. */
    private void forgetReplaced(Path next) throws IOException {
        if (!deregistered.isEmpty()) {
            try (SharedRaftLog kept =
                    SharedRaftLog.open(next.resolve("raft-log"), (what, cause) -> world.fault(this, what, cause))) {
                kept.descriptors().stream()
                        .map(Map.Entry::getKey)
                        .filter(deregistered::contains)
                        .filter(kept::isUnused) // others were born by a split and wait for their start
                        .forEach(kept::deregister);
            }
        }
    }

    /**
     * Copies a directory in use as it is at one moment, although compactions, which the simulation does not control,
     * add and delete table files.
     */
    private static void copy(Path from, Path to) throws IOException {
        for (List<Path> before = tree(from);
                !copy(from, before, to) || !tree(from).equals(before);
                before = tree(from)) {
            delete(to);
        }
    }

    private static List<Path> tree(Path directory) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            return tree.sorted().toList();
        } catch (UncheckedIOException e) { // a file went while it was listed
            return List.of();
        }
    }

    /** Copies table files by links, because they never change. Returns whether all were there. */
    private static boolean copy(Path from, List<Path> all, Path to) throws IOException {
        try {
            for (Path each : all) {
                Path target = to.resolve(from.relativize(each));
                if (Files.isDirectory(each)) {
                    Files.createDirectories(target);
                } else if (each.toString().endsWith(".sst")) {
                    Files.createLink(target, each);
                } else if (!each.endsWith("LOCK")) {
                    Files.copy(each, target);
                }
            }
            return !all.isEmpty();
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            List<Path> all;
            try (Stream<Path> tree = Files.walk(directory)) {
                all = tree.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path each : all) {
                Files.deleteIfExists(each);
            }
        }
    }

    // --- groups

    Path newSnapshot() {
        try {
            return Files.createDirectories(root.resolve("snapshots").resolve(id + "-" + snapshots++));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public RaftGroup start(String groupId, Path snapshotDirectory, StateMachine stateMachine, List<String> firstVoters)
            throws IOException {
        Path born = snapshotDirectory.resolve("snapshot_1");
        Path known = snapshotDirectory.resolve("known");
        Path kept = null;
        if (Files.exists(born) && !Files.exists(known)) { // the group's log begins again
            kept = newSnapshot();
            copy(born, tree(born), kept);
            Files.createFile(known);
        }
        if (kept != null && firstVoters.isEmpty()) {
            world.count("replicas made again");
        }
        return world.raft().start(this, groupId, stateMachine, kept, firstVoters.isEmpty());
    }

    @Override
    public void stand(RaftGroup group) {
        world.stand(group.groupId(), id);
    }

    @Override
    public void standAgain(RaftGroup group) {}

    @Override
    public void standWhereNobodyLeads() {}

    // --- its reports

    /**
     * Without values that depend on the speed of this machine or on RocksDB's clean-up, so that a seed has one course.
     */
    List<ReplicaReport> report() {
        List<ReplicaReport> told = own.of(STORE).replicas().getOrDefault(STORE, List.of());
        return told.stream().map(SimNode::withoutMeasures).toList();
    }

    private static ReplicaReport withoutMeasures(ReplicaReport told) {
        return new ReplicaReport(
                told.rangeId(),
                told.epoch(),
                told.bounds(),
                told.voters(),
                told.learners(),
                told.leader(),
                told.lastIndex(),
                told.createdEpoch(),
                told.fault(),
                told.isReplaceable(),
                told.leading()
                        .map(leading -> new ReplicaReport.Leading(
                                leading.term(),
                                leading.fence(),
                                0,
                                RangeLoad.UNKNOWN,
                                Optional.empty(),
                                leading.change(),
                                leading.stableMillis())));
    }
}
