package io.godwit.kv.simulation;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.SimRanges;
import io.godwit.kv.range.data.RocksResources;
import io.godwit.kv.store.RangeDescriptor;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A store on three nodes, on the test's thread, in an order that a seed gives. Real are ranges with all their parts,
 * state machines, databases and files, splits and merges, and routing on a node and between nodes. Simulated are Raft
 * ({@link SimRaft}), threads, the clock, connections, and a node's death, which may happen between any two tasks and at
 * the {@linkplain SimNode.CrashPoint points} within a split.
 *
 * <p>Users append numbers to keys and read them: by routes from any node, at the ranges of a node, and at their
 * leaders. Checked after every event: no range has stopped after a fault, and {@link SimInvariants} hold; with every
 * answer: {@link SimHistory} holds. At the end everything must come to rest.
 */
final class RangeSimulation implements SimRaft.World, AutoCloseable {
    static final List<String> NODES = List.of("a", "b", "c");
    static final String LETTERS = "bdfhjk";
    private static final long MISSING_MILLIS = 3_000;
    /**
     * Number of rounds of {@link #ROUND_MILLIS} after which everything must have come to rest; the longest delay is
     * that of a burial, 5 s.
     */
    private static final int REST_ROUNDS = 1_500;

    private static final int ROUND_MILLIS = 20;
    private static final int ROUND_STEPS = 300;

    private final long seed;
    private final SimFault planted;
    private final Random random;
    private final Path root;
    private final SimRaft raft;
    private final Map<String, SimNode> nodes = new TreeMap<>();
    private final List<SimUser> users = new ArrayList<>();
    private final SimTrace trace = new SimTrace();
    private final SimHistory history = new SimHistory(this::violate);
    private final SimCalls calls = new SimCalls(this, users, history, trace);
    private final SimInvariants invariants;
    private final SimChanges changes;
    private final SimRest rest;
    /** By user: a key that is asked for again as soon as a change of its range is visible. */
    private final Map<String, String> askedMeanwhile = new TreeMap<>();

    /** By node: where it dies in the next split, by the wish of a test. */
    private final Map<String, SimNode.CrashPoint> wantedCrashes = new HashMap<>();

    private final PriorityQueue<Timed> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timed::atNanos).thenComparingLong(Timed::order));
    private final List<Runnable> answers = new ArrayList<>();
    private final Map<String, Long> missingSince = new HashMap<>();
    private final Map<String, Integer> happened = new TreeMap<>();
    private @Nullable String violation;
    private long nanos = 1_000_000_000L;
    private long number;
    private int steps;
    private boolean calm;
    /** Whether the entry being applied changes a range's state. */
    private boolean changing;

    private int openCatchUps;
    /** Null without mirrors; a separate source, so that other runs stay the same. */
    private @Nullable Random mirroring;

    private record Timed(long atNanos, long order, Runnable task) {}

    RangeSimulation(long seed, SimFault planted, Path root, RocksResources rocks) throws IOException {
        this.seed = seed;
        this.planted = planted;
        this.random = new Random(seed);
        this.root = root;
        this.raft = new SimRaft(this, NODES);
        this.invariants = new SimInvariants(raft, this::violate);
        this.changes = new SimChanges(this, nodes.values(), invariants);
        this.rest = new SimRest(nodes, raft, calls, this::violate);
        for (String id : NODES) {
            SimNode node = new SimNode(id, this, root, rocks);
            node.create(NODES);
            nodes.put(id, node);
        }
        for (SimNode node : nodes.values()) {
            node.start();
            node.ranges().all().forEach(invariants::born);
        }
        users.add(new SimUser(this, "r", null, false, NODES));
        users.add(new SimUser(this, "s", null, false, NODES));
        for (String id : NODES) {
            users.add(new SimUser(this, "l" + id, id, false, NODES));
            users.add(new SimUser(this, "m" + id, id, true, NODES));
        }
    }

    /** Lets nodes catch up at intervals, and checks each when it says that it has. */
    RangeSimulation catchingUp() {
        mirroring = new Random(~seed);
        return this;
    }

    // --- used by nodes and groups

    long nanoTime() {
        return nanos;
    }

    SimRaft raft() {
        return raft;
    }

    long next() {
        return ++number;
    }

    /** Answers on their way to the callers. */
    List<Runnable> answers() {
        return answers;
    }

    SimNode node(String id) {
        SimNode node = nodes.get(id);
        if (node == null) {
            throw new IllegalStateException("no node " + id);
        }
        return node;
    }

    void at(long millis, Runnable task) {
        timers.add(new Timed(nanos + millis * 1_000_000, next(), task));
    }

    /** A range or a log has stopped, which must not happen here. */
    void fault(SimNode node, String what, Throwable cause) {
        if (violation == null && node.isUp()) {
            StringWriter trace = new StringWriter();
            cause.printStackTrace(new PrintWriter(trace));
            violation = "node " + node.id() + " stopped " + what + ": " + trace;
        }
    }

    void stand(String groupId, String nodeId) {
        raft.groups().stream()
                .filter(group -> group.id.equals(groupId) && group.newestLeader() == null)
                .findFirst()
                .ifPresent(group -> raft.elect(group, nodeId));
    }

    @Override
    public Random random() {
        return random;
    }

    @Override
    public SimFault fault() {
        return planted;
    }

    @Override
    public boolean isCalm() {
        return calm;
    }

    @Override
    public void later(SimNode node, Runnable task) {
        if (node.isUp()) {
            node.tasks().add(task);
        }
    }

    /** Like {@link io.godwit.kv.peers.Replicas}: not at once, because a split may be about to make it. */
    @Override
    public void missing(String groupId, SimNode caller, String storeId) {
        SimNode node = node(storeId);
        String key = groupId + "@" + storeId;
        long since = missingSince.computeIfAbsent(key, fresh -> nanos);
        if (!node.isUp() || nanos - since < MISSING_MILLIS * 1_000_000) {
            return;
        }
        missingSince.remove(key);
        long id = SimRaft.rangeOf(groupId);
        Range range = caller.ranges().find(id);
        RangeDescriptor descriptor = caller.ranges().descriptor(id);
        if (range != null && descriptor != null) {
            long epoch = range.state().epoch();
            if (epoch > node.ranges().tombstoneOf(id)) {
                count("replicas joined");
                later(node, () -> {
                    try {
                        node.ranges().join(descriptor.joinedAt(epoch));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
            }
        }
    }

    @Override
    public void applying(SimReplica replica, List<SimDisk.Entry> entries) {
        boolean splits = entries.stream().anyMatch(SimDisk.Entry::isSplit);
        boolean changes = entries.stream().anyMatch(SimDisk.Entry::isCommand);
        changing = changes;
        replica.node.disarm();
        if (planted == SimFault.CHILD_IS_MADE_AGAIN && splits && !replica.node.hasKeptLog()) {
            replica.node.keepLog();
        }
        SimNode.CrashPoint wanted = splits ? wantedCrashes.remove(replica.node.id()) : null;
        if (wanted != null) {
            replica.node.arm(wanted);
        } else if (!calm && splits && random.nextInt(4) == 0) {
            SimNode.CrashPoint[] points = SimNode.CrashPoint.values();
            replica.node.arm(points[random.nextInt(points.length)]);
        } else if (!calm && changes && random.nextInt(8) == 0) {
            replica.node.arm(SimNode.CrashPoint.STATE_IS_WRITTEN);
        }
    }

    @Override
    public void applied(SimReplica replica) {
        trace.add(replica + " has applied " + replica.applied());
        replica.node.disarm();
        if (replica.node.hasKeptLog() && planted != SimFault.CHILD_IS_MADE_AGAIN) {
            replica.node.forgetKeptLog();
        }
        replica.node.newRanges().forEach(range -> born(replica.node, range));
        Range range = replica.node.ranges().find(SimRaft.rangeOf(replica.groupId()));
        if (range != null) {
            invariants.applied(range, replica.applied());
        }
        if (changing && !calm) {
            changing = false;
            askMeanwhile(replica.node);
        }
    }

    /** A change is applied, and the ranges' executors do not know of it yet. */
    private void askMeanwhile(SimNode node) {
        for (SimUser user : users) {
            if (node.id().equals(user.node()) && random.nextBoolean()) {
                String key = randomLetter() + user.name();
                askedMeanwhile.put(user.name(), key);
                append(user, key);
            }
        }
    }

    /** Called during a task of a range: other threads may send requests at any time. */
    void noticed(SimNode node) {
        if (calm || !node.isUp()) {
            return;
        }
        for (SimUser user : users) {
            String key = node.id().equals(user.node()) ? askedMeanwhile.remove(user.name()) : null;
            if (key != null) {
                append(user, key);
            }
        }
    }

    char randomLetter() {
        return LETTERS.charAt(random.nextInt(LETTERS.length()));
    }

    void violate(String what) {
        if (violation == null) {
            violation = what;
        }
    }

    /** Counts an event, and adds it to the trace. */
    void count(String what) {
        trace.add(what);
        happened.merge(what, 1, Integer::sum);
    }

    // --- steps

    /** Runs {@code count} events, then lets everything come to rest, and checks the result. */
    void run(int count) {
        try {
            for (int i = 0; i < count; i++) {
                step();
            }
            calm();
        } catch (RuntimeException e) { // exceptions that the ranges have not caught
            throw new AssertionError("seed " + seed + ", step " + steps + ": " + e, e);
        }
    }

    // --- a course chosen by a test

    /** Runs until only time could change anything, and a moment longer. No node dies meanwhile. */
    void settle() {
        pass(5 * ROUND_MILLIS);
    }

    /** Lets {@code millis} pass, in which everything goes on. No node dies meanwhile. */
    void pass(long millis) {
        calm = true;
        for (int i = 0; i <= millis / ROUND_MILLIS; i++) {
            for (int j = 0; j < ROUND_STEPS && somethingPossible(); j++) {
                check();
            }
            advance(ROUND_MILLIS);
        }
        check();
    }

    /** Runs one possible event; if there is none, time passes. */
    void event() {
        somethingPossible();
        check();
    }

    /** The node dies at this point of the next split that it applies. */
    void crashNextSplitOf(String nodeId, SimNode.CrashPoint point) {
        wantedCrashes.put(nodeId, point);
    }

    void restart(String nodeId) {
        restart(node(nodeId));
    }

    /** Makes a node lead a range. */
    void lead(long rangeId, String nodeId) {
        SimGroup group = raft.group(SimNode.STORE + "-" + rangeId);
        SimReplica leader = group.newestLeader();
        while (leader == null || !leader.node.id().equals(nodeId)) {
            raft.elect(group, nodeId);
            settle(); // a majority without the node has elected another, or the node was not up to date
            leader = group.newestLeader();
        }
        settle();
    }

    /** Appends the next number to a key, which must belong to the user alone. */
    CompletableFuture<byte[]> append(SimUser user, String key) {
        return calls.append(user, key);
    }

    /**
     * A user by name: {@code r} and {@code s} use routes, {@code lb} asks the ranges of node b, {@code mb} their
     * leaders.
     */
    SimUser user(String name) {
        return users.stream()
                .filter(user -> user.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private void step() {
        steps++;
        int what = random.nextInt(1_000);
        if (what < 120) {
            calls.ask();
        } else if (what < 128) {
            tellRoutes(NODES.get(random.nextInt(NODES.size())), users.get(random.nextInt(users.size())));
        } else if (what < 131) {
            perform(this::elect);
        } else if (what < 141) {
            changes.begin();
        } else if (what < 142) {
            users.get(random.nextInt(users.size())).breakConnection(NODES.get(random.nextInt(NODES.size())));
        } else if (what < 143) {
            crash(NODES.get(random.nextInt(NODES.size())), "between tasks");
        } else if (what < 145) {
            raft.cutOff(NODES.get(random.nextInt(NODES.size())));
        } else if (what < 150) {
            raft.cutOff("");
        } else if (what < 160) {
            nodes.values().stream().filter(node -> !node.isUp()).findFirst().ifPresent(this::restart);
        } else if (what < 200) {
            advance(1 + random.nextInt(random.nextInt(8) == 0 ? 300 : 20));
        } else {
            somethingPossible();
        }
        check();
    }

    /** Runs one possible step; returns false if there is nothing but time to wait for. */
    private boolean somethingPossible() {
        List<Runnable> possible = new ArrayList<>();
        raft.possible(possible);
        for (SimNode node : nodes.values()) {
            for (int i = 0; i < Math.min(4, node.tasks().size()); i++) {
                possible.add(() ->
                        node.tasks().remove(random.nextInt(node.tasks().size())).run());
            }
        }
        users.forEach(user -> user.possible(possible));
        for (int i = 0; i < Math.min(3, answers.size()); i++) {
            possible.add(() -> answers.remove(random.nextInt(answers.size())).run());
        }
        if (possible.isEmpty()) {
            return false;
        }
        int chosen = random.nextInt(possible.size());
        trace.add(chosen + " of " + possible.size() + " at " + nanos);
        perform(possible.get(chosen));
        return true;
    }

    private void perform(Runnable event) {
        try {
            event.run();
        } catch (SimNode.Crash crash) {
            crash(crash.node().id(), String.valueOf(crash.getMessage()));
        }
    }

    private void advance(long millis) {
        nanos += millis * 1_000_000;
        while (!timers.isEmpty() && timers.peek().atNanos() <= nanos) {
            perform(timers.remove().task());
        }
    }

    private void elect() {
        List<SimGroup> groups = new ArrayList<>(raft.groups());
        SimGroup group = groups.get(random.nextInt(groups.size()));
        count("elections");
        raft.elect(group, null);
    }

    private void crash(String id, String point) {
        SimNode node = node(id);
        if (!node.isUp()) {
            return;
        }
        count("crash " + point);
        raft.crashed(node);
        try {
            node.crash();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        users.forEach(user -> user.died(id));
        openCatchUps = 0; // approximate: calls of other nodes count too low
    }

    private void restart(SimNode node) {
        perform(() -> {
            try {
                node.start();
                node.ranges().all().forEach(invariants::born);
                trace.add(node.id() + " is up with " + node.ranges().all().size());
            } catch (IOException e) {
                violate("node " + node.id() + " does not start: " + e);
            }
        });
    }

    /** A node sends a user its report. */
    void tellRoutes(String from, SimUser to) {
        if (node(from).isUp()) {
            to.caller().table().told(from, node(from).report());
        } else {
            to.caller().table().gone(from);
        }
    }

    // --- checks

    /** Checks that coprocessors were told everything that was answered to anybody before a node began to catch up. */
    private void catchUp(Random choosing) {
        SimNode node = node(NODES.get(choosing.nextInt(NODES.size())));
        if (!node.isUp() || openCatchUps >= 6) {
            return;
        }
        Map<String, String> known = history.known();
        openCatchUps++;
        node.ranges().mirror().catchUp(new Deadline(calls.deadline())).whenComplete((done, failure) -> {
            openCatchUps--;
            count(failure == null ? "catch-ups" : "catch-ups failed");
            if (failure == null) {
                known.forEach((key, value) -> {
                    String told = node.told().getOrDefault(key, "");
                    if (!told.startsWith(value)) {
                        violate(node.id() + " has caught up and was told " + key + "=" + told + " after " + value);
                    }
                });
            } else if (!(failure instanceof RangeException)) {
                violate("catch-up failed with " + failure);
            }
        });
    }

    private void check() {
        Random choosing = mirroring;
        if (choosing != null && choosing.nextInt(40) == 0) {
            catchUp(choosing);
        }
        invariants.check();
        if (violation != null) {
            throw new AssertionError(
                    "seed " + seed + ", step " + steps + ": " + violation + "\n" + happened() + "\nlast:\n" + trace);
        }
    }

    // --- the end

    private void calm() {
        calm = true;
        raft.cutOff("");
        for (int i = 0; i < REST_ROUNDS && !rest.isReached(); i++) {
            nodes.values().stream().filter(node -> !node.isUp()).forEach(this::restart);
            for (int j = 0; j < ROUND_STEPS && somethingPossible(); j++) {
                check();
            }
            rest.leaveEnded();
            users.forEach(user -> NODES.forEach(node -> tellRoutes(node, user)));
            advance(ROUND_MILLIS);
            check();
        }
        if (!rest.isReached()) {
            violate("no rest: " + rest.missing() + "\n" + rest.replicas());
        }
        check();
        List<SimNode> all = List.copyOf(nodes.values());
        history.ended(invariants.checkReplicas(all));
        users.forEach(user -> NODES.forEach(node -> tellRoutes(node, user)));
        users.forEach(user -> invariants.checkRoutes(user, all));
        check();
    }

    /** The number of events of each kind. */
    Map<String, Integer> happened() {
        Map<String, Integer> all = new TreeMap<>(happened);
        calls.failures().forEach((cause, count) -> all.put("failed with " + cause, count));
        all.put("steps", steps);
        return all;
    }

    /** Equal for two runs with one seed. */
    long trace() {
        return trace.hash();
    }

    /** A range was created on a node. */
    private void born(SimNode node, Range range) {
        invariants.born(range);
        RangeDescriptor descriptor = node.ranges().descriptor(range.id());
        if (planted == SimFault.FORWARDING_IS_FORGOTTEN && descriptor != null && descriptor.joinedEpoch() == 0) {
            SimRanges.forgetForwarding(range);
        }
    }

    @Override
    public void close() throws IOException {
        for (SimNode node : nodes.values()) {
            if (node.isUp()) {
                node.crash();
            }
        }
        SimNode.delete(root);
    }
}
