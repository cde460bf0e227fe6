package io.godwit.kv.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.BalanceAction.ChangeReplica;
import io.godwit.plugin.balance.BalanceAction.Merge;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.Liveness;
import io.godwit.plugin.balance.RangeChange;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.Replica;
import io.godwit.plugin.balance.ReplicaFault;
import io.godwit.plugin.balance.ReplicaGoal;
import io.godwit.plugin.balance.SplitHint;
import io.godwit.plugin.balance.StoreView;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A cluster in memory, on one thread and from one seed: nodes with their balance loops, ranges with load and bytes,
 * actions that take time and sometimes fail, views that are some seconds old. Keys are points, each with its own
 * operations per second and bytes.
 *
 * <p>Asserted after every second: the ranges cover the key space, and no epoch has fallen. Asserted with every action:
 * it leaves a majority of the voters that it can know to be alive.
 */
final class SimCluster {
    static final int POINTS = 512;
    static final int GRACE_SECONDS = 120;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int SUSPECT_AFTER = 1;
    private static final int DOWN_AFTER = 5;
    private static final int ELECTION_SECONDS = 3;
    private static final long COPY_BYTES_PER_SECOND = 32 << 20;
    private static final long GIB = 1L << 30;
    private static final int MAX_ACTION_SECONDS = 3;
    private static final int MAX_LAG = 3;

    static final Map<String, String> SETTINGS = Map.of(
            "graceSeconds", String.valueOf(GRACE_SECONDS),
            "settleSeconds", "10",
            "maxIoDensity", "10",
            "maxBytes", String.valueOf(64 << 20),
            "restSeconds", "20");
    static final BalanceLoopConfig LOOP = new BalanceLoopConfig(
            Duration.ofSeconds(2),
            Duration.ofSeconds(30),
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            Duration.ofSeconds(40),
            3);

    /** One node; its store has the same name. */
    final class Node {
        final String id;
        final String zone;
        final int cores;
        final long diskBytes;
        boolean isAlive = true;
        private boolean isDraining;
        /** Second since which it has been alive or not. */
        long since;

        private @Nullable BalanceLoop loop;

        Node(String id, String zone, int cores, long diskBytes) {
            this.id = id;
            this.zone = zone;
            this.cores = cores;
            this.diskBytes = diskBytes;
            this.since = now;
            startLoop();
        }

        private void startLoop() {
            loop = new BalanceLoop(
                    "inbox",
                    BalancePlan.shipped(SETTINGS),
                    () -> Optional.of(viewOf(this)),
                    action -> execute(this, action),
                    LOOP,
                    timer);
            loop.start();
        }

        boolean isDraining() {
            return isDraining;
        }

        void drain(boolean drain) {
            if (isDraining != drain) {
                isDraining = drain;
                wantsChangedAt = now;
                log("drain " + id + " " + drain);
            }
        }

        void kill() {
            assertThat(isAlive).as("%s runs", id).isTrue();
            isAlive = false;
            since = now;
            if (loop != null) {
                loop.close();
            }
            log("kill " + id);
        }

        void restart() {
            assertThat(isAlive).as("%s runs", id).isFalse();
            isAlive = true;
            since = now;
            ranges.values().forEach(range -> {
                SimReplica replica = range.replicas.get(id);
                if (replica != null && !range.isLedBy(id)) {
                    replica.missingBytes = Math.max(replica.missingBytes, 2 * COPY_BYTES_PER_SECOND);
                }
            });
            startLoop();
            log("restart " + id);
        }

        private StoreView view() {
            Liveness liveness = Liveness.ALIVE;
            long seconds = now - since;
            if (!isAlive) {
                if (seconds >= DOWN_AFTER) {
                    liveness = Liveness.DOWN;
                    seconds -= DOWN_AFTER;
                } else if (seconds >= SUSPECT_AFTER) {
                    liveness = Liveness.SUSPECT;
                    seconds -= SUSPECT_AFTER;
                } else {
                    seconds = 1_000; // no node has noticed
                }
            }
            double work = 0;
            long bytes = 0;
            for (SimRange range : ranges.values()) {
                if (range.replicas.containsKey(id)) {
                    work += range.operations();
                    bytes += range.bytes();
                }
            }
            return new StoreView(
                    id,
                    zone,
                    liveness,
                    Duration.ofSeconds(seconds),
                    isDraining,
                    "1",
                    cores,
                    Math.min(1, work / 200_000 / cores),
                    diskBytes,
                    Math.max(0, diskBytes - bytes));
        }
    }

    static final class SimReplica {
        boolean isVoter;
        long missingBytes;
        /** When it stopped after a fault; 0 while it runs. */
        long stoppedAt;

        SimReplica(boolean isVoter, long missingBytes) {
            this.isVoter = isVoter;
            this.missingBytes = missingBytes;
        }

        SimReplica copy() {
            SimReplica copy = new SimReplica(isVoter, missingBytes);
            copy.stoppedAt = stoppedAt;
            return copy;
        }

        boolean hasStopped() {
            return stoppedAt > 0;
        }
    }

    final class SimRange {
        final long id;
        int from;
        int to;
        long epoch;
        final Map<String, SimReplica> replicas = new LinkedHashMap<>();

        @Nullable
        String leader;

        @Nullable
        RangeChange change;

        long changedAt = now;
        long measuredSince = now;
        long leaderLostAt;

        private int measuredFrom = -1;
        private int measuredTo;
        private int measuredLoad;
        private double operations;
        private long bytes;
        private Optional<SplitHint> hint = Optional.empty();

        SimRange(long id, int from, int to, long epoch) {
            this.id = id;
            this.from = from;
            this.to = to;
            this.epoch = epoch;
        }

        boolean isLedBy(String store) {
            return store.equals(leader);
        }

        List<String> voters() {
            return replicas.entrySet().stream()
                    .filter(entry -> entry.getValue().isVoter)
                    .map(Map.Entry::getKey)
                    .toList();
        }

        double operations() {
            measure();
            return operations;
        }

        long bytes() {
            measure();
            return bytes;
        }

        private void measure() {
            if (measuredFrom == from && measuredTo == to && measuredLoad == loads) {
                return;
            }
            measuredFrom = from;
            measuredTo = to;
            measuredLoad = loads;
            operations = 0;
            bytes = 0;
            for (int i = from; i < to; i++) {
                operations += operationsAt[i];
                bytes += bytesAt[i];
            }
            hint = findHint();
        }

        private RangeView view() {
            double perSecond = operations() * (1 + (random.nextDouble() - 0.5) * noise);
            RangeLoad load = new RangeLoad(Duration.ofSeconds(now - measuredSince), perSecond, perSecond, 3_000);
            return new RangeView(
                    id,
                    key(from),
                    to == POINTS ? Optional.empty() : Optional.of(key(to)),
                    epoch,
                    replicas.entrySet().stream()
                            .map(entry -> view(entry.getKey(), entry.getValue()))
                            .toList(),
                    Optional.ofNullable(leader),
                    bytes(),
                    load,
                    hint,
                    Optional.ofNullable(change),
                    Duration.ofSeconds(now - changedAt));
        }

        private Replica view(String store, SimReplica replica) {
            Optional<ReplicaFault> fault = replica.hasStopped()
                    ? Optional.of(new ReplicaFault(Duration.ofSeconds(now - replica.stoppedAt), true))
                    : Optional.empty();
            return new Replica(store, replica.isVoter, fault.isEmpty() && replica.missingBytes == 0, fault);
        }

        /** The store's replica meets a fault and stops. */
        void stop(String store) {
            replicas.get(store).stoppedAt = now;
            log("stop range " + id + " on " + store);
        }

        boolean takesPart(String store) {
            return node(store).isAlive && !replicas.get(store).hasStopped();
        }

        private Optional<SplitHint> findHint() {
            double all = operations;
            double below = 0;
            int best = from;
            double bestBelow = 0;
            for (int i = from; i < to; i++) {
                if (i > from && Math.abs(below - all / 2) < Math.abs(bestBelow - all / 2)) {
                    best = i;
                    bestBelow = below;
                }
                below += operationsAt[i];
            }
            return best == from || all < 100
                    ? Optional.empty()
                    : Optional.of(new SplitHint(key(best), Math.min(1, bestBelow / all)));
        }
    }

    private record Snapshot(Map<String, StoreView> stores, Map<Long, RangeView> ranges) {}

    final Random random;
    final ManualTimer timer = new ManualTimer();
    final double[] operationsAt = new double[POINTS];
    final long[] bytesAt = new long[POINTS];
    final ReplicaGoal goal;
    final TreeMap<String, Node> nodes = new TreeMap<>();
    final TreeMap<Long, SimRange> ranges = new TreeMap<>();
    /** Actions that were begun, and actions that took effect. */
    final List<BalanceAction> begun = new ArrayList<>();

    final List<BalanceAction> done = new ArrayList<>();
    /** The present time in seconds. */
    long now = 10_000;

    long lastBegunAt = now;
    double failureShare = 0.1;
    /** Largest relative error of a measured load. */
    double noise = 0.06;

    /** When nodes were last added, drained or undrained; actions decided just before may still be carried out. */
    private long wantsChangedAt;

    /** How often the load has changed. */
    private int loads;

    private long nextRangeId = 1;
    private final Map<Long, Long> epochs = new HashMap<>();
    private final Deque<Snapshot> history = new ArrayDeque<>();
    private final Deque<String> lastEvents = new ArrayDeque<>();

    SimCluster(long seed, ReplicaGoal goal) {
        this.random = new Random(seed);
        this.goal = goal;
    }

    /** A random cluster with all nodes alive. */
    static SimCluster random(long seed) {
        Random shape = new Random(seed ^ 0x5eed);
        SimCluster cluster = new SimCluster(seed, new ReplicaGoal(1 + 2 * shape.nextInt(3), shape.nextInt(5) == 0));
        int nodes = 1 + shape.nextInt(7);
        int zones = shape.nextInt(5);
        boolean isMixed = shape.nextInt(3) == 0;
        int cores = 2 << shape.nextInt(6);
        for (int i = 0; i < nodes; i++) {
            cluster.addNode(
                    zones == 0 ? "" : "z" + shape.nextInt(zones),
                    isMixed ? 2 << shape.nextInt(6) : cores,
                    (isMixed ? 10 + shape.nextInt(90) : 100) * GIB);
        }
        cluster.loadAtRandom(shape);
        cluster.cutAtRandom(shape, 1 + shape.nextInt(20));
        return cluster;
    }

    Node addNode(String zone, int cores, long diskBytes) {
        Node node = new Node("n" + (nodes.size() + 1), zone, cores, diskBytes);
        node.since = now - 1_000;
        nodes.put(node.id, node);
        wantsChangedAt = now;
        return node;
    }

    void loadAtRandom(Random shape) {
        double scale = Math.pow(10, shape.nextInt(4)); // up to 1000 operations a second at a typical point
        for (int i = 0; i < POINTS; i++) {
            operationsAt[i] = shape.nextInt(4) == 0 ? 0 : scale * shape.nextDouble() * 0.3;
            bytesAt[i] = shape.nextInt(2 << 20);
        }
        for (int hot = shape.nextInt(4); hot > 0; hot--) {
            operationsAt[shape.nextInt(POINTS)] = 100 * scale * shape.nextDouble();
        }
        loads++;
    }

    void cutAtRandom(Random shape, int count) {
        TreeMap<Integer, Boolean> cuts = new TreeMap<>();
        cuts.put(0, true);
        while (cuts.size() < count) {
            cuts.put(shape.nextInt(POINTS), true);
        }
        List<Integer> starts = new ArrayList<>(cuts.keySet());
        for (int i = 0; i < starts.size(); i++) {
            SimRange range = addRange(starts.get(i), i + 1 < starts.size() ? starts.get(i + 1) : POINTS);
            List<String> ids = new ArrayList<>(nodes.keySet());
            java.util.Collections.shuffle(ids, shape);
            int voters = 1 + shape.nextInt(Math.min(5, ids.size()));
            int learners = shape.nextInt(3) == 0 ? shape.nextInt(ids.size() - voters + 1) : 0;
            for (int j = 0; j < voters + learners; j++) {
                range.replicas.put(ids.get(j), new SimReplica(j < voters, j < voters ? 0 : shape.nextInt(1 << 28)));
            }
            range.leader = ids.get(0);
        }
    }

    SimRange addRange(int from, int to) {
        SimRange range = new SimRange(nextRangeId++, from, to, 1 + random.nextInt(5));
        range.changedAt = now - 1_000;
        ranges.put(range.id, range);
        return range;
    }

    private static Key key(int point) {
        return point == 0 ? Key.FIRST : Key.of(new byte[] {(byte) (point >> 8), (byte) point});
    }

    private static int point(Key key) {
        byte[] bytes = key.bytes();
        return bytes.length == 0 ? 0 : (bytes[0] & 0xff) << 8 | bytes[1] & 0xff;
    }

    // --- time

    void run(int seconds) {
        for (int i = 0; i < seconds; i++) {
            second();
        }
    }

    /** Runs until no action has begun for {@code quiet} seconds; fails if that takes longer than {@code atMost}. */
    void runToRest(int quiet, int atMost) {
        long start = now;
        lastBegunAt = now;
        while (now - lastBegunAt < quiet) {
            assertThat(now - start)
                    .as(() -> "seconds without coming to rest; the last of " + begun.size() + " actions:\n"
                            + String.join("\n", lastEvents) + "\n" + describe())
                    .isLessThan(atMost);
            second();
        }
    }

    private void second() {
        now++;
        for (SimRange range : ranges.values()) {
            elect(range);
            copy(range);
        }
        Snapshot snapshot = new Snapshot(new LinkedHashMap<>(), new LinkedHashMap<>());
        nodes.values().forEach(node -> snapshot.stores().put(node.id, node.view()));
        ranges.values().forEach(range -> snapshot.ranges().put(range.id, range.view()));
        history.addFirst(snapshot);
        while (history.size() > MAX_LAG + 1) {
            history.removeLast();
        }
        timer.advance(SECOND);
        checkInvariants();
    }

    private void elect(SimRange range) {
        if (range.leader != null && !range.takesPart(range.leader)) {
            range.leader = null;
            range.change = null;
            range.leaderLostAt = now;
        }
        if (range.leader == null && now - range.leaderLostAt >= ELECTION_SECONDS) {
            List<String> able = range.voters().stream().filter(range::takesPart).toList();
            if (able.size() * 2 > range.voters().size()) {
                range.leader = able.get(random.nextInt(able.size()));
                range.replicas.get(range.leader).missingBytes = 0;
                range.measuredSince = now;
            }
        }
    }

    private void copy(SimRange range) {
        if (range.leader != null) {
            range.replicas.forEach((store, replica) -> {
                if (range.takesPart(store)) {
                    replica.missingBytes = Math.max(0, replica.missingBytes - COPY_BYTES_PER_SECOND);
                }
            });
        }
    }

    // --- what a node sees and does

    private ClusterView viewOf(Node self) {
        Snapshot current = history.getFirst();
        List<Snapshot> all = new ArrayList<>(history);
        Snapshot old = all.get(random.nextInt(all.size()));
        Map<String, StoreView> stores = new LinkedHashMap<>(current.stores());
        stores.putAll(old.stores());
        stores.put(self.id, current.stores().get(self.id));
        // a node knows the present state of ranges that it has a replica of
        Map<Long, RangeView> seen = new LinkedHashMap<>();
        old.ranges().forEach((id, range) -> {
            if (!isHere(current.ranges().get(id), self)
                    && range.replicaOn(self.id).isEmpty()) {
                seen.put(id, range);
            }
        });
        current.ranges().forEach((id, range) -> {
            if (isHere(range, self)) {
                seen.put(id, range);
            }
        });
        return new ClusterView("inbox", self.id, goal, List.copyOf(stores.values()), List.copyOf(seen.values()));
    }

    private static boolean isHere(@Nullable RangeView range, Node self) {
        return range != null && range.replicaOn(self.id).isPresent();
    }

    private CompletableFuture<ActionOutcome> execute(Node node, BalanceAction action) {
        begun.add(action);
        lastBegunAt = now;
        log(node.id + " " + action);
        CompletableFuture<ActionOutcome> answer = new CompletableFuture<>();
        SimRange range = ranges.get(action.rangeId());
        if (range == null || !range.isLedBy(node.id) || range.epoch != action.epoch() || range.change != null) {
            answer.complete(ActionOutcome.STALE);
            return answer;
        }
        range.change = ActionWatch.changeOf(action);
        timer.after(SECOND.multipliedBy(1 + random.nextInt(MAX_ACTION_SECONDS)), () -> {
            ActionOutcome outcome = end(node, action);
            log(node.id + " " + outcome + " range " + action.rangeId());
            answer.complete(outcome);
        });
        return answer;
    }

    private ActionOutcome end(Node node, BalanceAction action) {
        SimRange range = ranges.get(action.rangeId());
        if (range == null) {
            return ActionOutcome.STALE;
        }
        if (!node.isAlive || !range.isLedBy(node.id) || range.epoch != action.epoch()) {
            return ActionOutcome.STALE; // the present leader began with no action in progress
        }
        range.change = null;
        if (random.nextDouble() < failureShare || !hasMajority(range, 0)) {
            return ActionOutcome.FAILED;
        }
        ActionOutcome outcome = apply(range, action);
        if (outcome == ActionOutcome.DONE) {
            done.add(action);
        }
        return outcome;
    }

    private ActionOutcome apply(SimRange range, BalanceAction action) {
        if (action instanceof Split split) {
            return split(range, split);
        }
        if (action instanceof Merge merge) {
            return merge(range, merge);
        }
        if (action instanceof MoveLeader move) {
            SimReplica to = range.replicas.get(move.to());
            if (to == null || !to.isVoter || to.missingBytes > 0 || !range.takesPart(move.to())) {
                return ActionOutcome.REFUSED;
            }
            range.leader = move.to();
            range.measuredSince = now;
            return ActionOutcome.DONE;
        }
        return change(range, (ChangeReplica) action);
    }

    private ActionOutcome split(SimRange range, Split split) {
        int at = split.key().map(SimCluster::point).orElseGet(() -> middle(range));
        if (at <= range.from || at >= range.to) {
            return ActionOutcome.REFUSED;
        }
        SimRange right = new SimRange(nextRangeId++, at, range.to, range.epoch + 1);
        range.replicas.forEach((store, replica) -> right.replicas.put(store, replica.copy()));
        right.leader = range.leader;
        ranges.put(right.id, right);
        range.to = at;
        changed(range);
        range.measuredSince = now;
        return ActionOutcome.DONE;
    }

    private int middle(SimRange range) {
        long half = range.bytes() / 2;
        long below = 0;
        for (int i = range.from; i < range.to; i++) {
            below += bytesAt[i];
            if (below >= half) {
                return i + 1;
            }
        }
        return range.from;
    }

    private ActionOutcome merge(SimRange range, Merge merge) {
        SimRange right = ranges.get(merge.rightId());
        if (right == null || right.epoch != merge.rightEpoch() || right.change != null || right.from != range.to) {
            return ActionOutcome.STALE;
        }
        if (!List.copyOf(new java.util.TreeSet<>(range.voters()))
                .equals(List.copyOf(new java.util.TreeSet<>(right.voters())))) {
            return ActionOutcome.REFUSED;
        }
        ranges.remove(right.id);
        range.to = right.to;
        range.epoch = Math.max(range.epoch, right.epoch);
        changed(range);
        range.measuredSince = now;
        return ActionOutcome.DONE;
    }

    private ActionOutcome change(SimRange range, ChangeReplica change) {
        SimReplica replica = range.replicas.get(change.store());
        switch (change.step()) {
            case ADD_LEARNER -> {
                if (replica != null) {
                    return ActionOutcome.REFUSED;
                }
                range.replicas.put(change.store(), new SimReplica(false, 1 + range.bytes()));
            }
            case PROMOTE -> {
                if (replica == null || replica.isVoter || replica.hasStopped() || replica.missingBytes > 0) {
                    return ActionOutcome.REFUSED;
                }
                replica.isVoter = true;
            }
            case DEMOTE, REMOVE -> {
                if (replica == null || range.isLedBy(change.store())) {
                    return ActionOutcome.REFUSED;
                }
                if (replica.isVoter) {
                    checkLostVoter(range, change);
                }
                if (change.step() == ChangeReplica.Step.REMOVE) {
                    range.replicas.remove(change.store());
                } else {
                    replica.isVoter = false;
                }
            }
        }
        assertThat(hasMajority(range, SUSPECT_AFTER + 2 * MAX_LAG + 2 * MAX_ACTION_SECONDS))
                .as(() -> "after " + change + " a majority of " + range.voters() + " is alive; " + describe())
                .isTrue();
        changed(range);
        return ActionOutcome.DONE;
    }

    /**
     * A voter may be removed only while there is a surplus; a voter on a node that is down only after the grace period.
     */
    private void checkLostVoter(SimRange range, ChangeReplica change) {
        Node node = node(change.store());
        int voters = range.voters().size();
        SimReplica replica = range.replicas.get(change.store());
        if (replica.hasStopped()) {
            assertThat(now - replica.stoppedAt)
                    .as(() -> "seconds that the voter of " + change + " has stopped; " + describe())
                    .isGreaterThanOrEqualTo(GRACE_SECONDS);
            return; // there may be one too few for a while, because it did not vote
        }
        if (!node.isAlive && now - node.since > 2 * (MAX_LAG + MAX_ACTION_SECONDS)) {
            assertThat(now - node.since)
                    .as(() -> "seconds that the voter of " + change + " was down; " + describe())
                    .isGreaterThanOrEqualTo(GRACE_SECONDS);
        }
        if (!node.isDraining && now - wantsChangedAt > 2 * (MAX_LAG + MAX_ACTION_SECONDS)) {
            assertThat(voters)
                    .as(() -> "voters before " + change + "; " + describe())
                    .isGreaterThan(VoterCount.of(goal.voters(), lasting()).ceiling());
        }
    }

    private int lasting() {
        return (int) nodes.values().stream().filter(node -> !node.isDraining).count();
    }

    private void changed(SimRange range) {
        range.epoch++;
        range.changedAt = now;
    }

    // --- invariants

    /** @param unnoticed nodes that died less than this number of seconds ago count as alive */
    boolean hasMajority(SimRange range, int unnoticed) {
        List<String> voters = range.voters();
        long alive = voters.stream()
                .filter(store -> node(store).isAlive || now - node(store).since < unnoticed)
                .map(range.replicas::get)
                .filter(replica -> !replica.hasStopped() || now - replica.stoppedAt < unnoticed)
                .count();
        return alive * 2 > voters.size();
    }

    private void checkInvariants() {
        TreeMap<Integer, SimRange> byStart = new TreeMap<>();
        ranges.values().forEach(range -> byStart.put(range.from, range));
        int end = 0;
        for (SimRange range : byStart.values()) {
            assertThat(range.from).as("ranges tile the key space").isEqualTo(end);
            end = range.to;
        }
        assertThat(end).as("ranges tile the key space").isEqualTo(POINTS);
        assertThat(byStart).hasSameSizeAs(ranges);
        for (SimRange range : ranges.values()) {
            assertThat(range.epoch)
                    .as("epoch of range %s", range.id)
                    .isGreaterThanOrEqualTo(epochs.getOrDefault(range.id, 0L));
            epochs.put(range.id, range.epoch);
        }
    }

    Node node(String id) {
        return nodes.get(id);
    }

    private void log(String event) {
        lastEvents.addLast(now + " " + event);
        if (lastEvents.size() > 60) {
            lastEvents.removeFirst();
        }
    }

    String describe() {
        StringBuilder text = new StringBuilder("goal " + goal + "\n");
        nodes.values().forEach(node -> text.append(node.view()).append('\n'));
        ranges.values().forEach(range -> {
            text.append(range.id + " [" + range.from + "," + range.to + ") epoch " + range.epoch + " leader "
                    + range.leader + " ops " + Math.round(range.operations()) + " bytes " + range.bytes());
            range.replicas.forEach((store, replica) -> text.append(" " + store + (replica.isVoter ? "" : "(learner)")
                    + (replica.missingBytes > 0 ? "*" : "") + (replica.hasStopped() ? "!" : "")));
            text.append('\n');
        });
        return text.toString();
    }
}
