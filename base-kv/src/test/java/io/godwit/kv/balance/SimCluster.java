package io.godwit.kv.balance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.Liveness;
import io.godwit.plugin.balance.RangeView;
import io.godwit.plugin.balance.ReplicaGoal;
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
import org.jspecify.annotations.Nullable;

/**
 * A cluster in memory, on one thread and from one seed: nodes with their balance loops, ranges with load and bytes,
 * actions that take time and sometimes fail, views that are some seconds old. Keys are points, each with its own
 * operations per second and bytes.
 *
 * <p>Asserted after every second: the ranges cover the key space, and no epoch has fallen. {@link SimActions} asserts
 * with every action that it leaves a majority.
 */
final class SimCluster {
    static final int POINTS = 512;
    static final int GRACE_SECONDS = 120;
    private static final Duration SECOND = Duration.ofSeconds(1);
    static final int SUSPECT_AFTER = 1;
    private static final int DOWN_AFTER = 5;
    private static final int ELECTION_SECONDS = 3;
    private static final long COPY_BYTES_PER_SECOND = 32 << 20;
    private static final long GIB = 1L << 30;
    static final int MAX_LAG = 3;

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
                    action -> actions.execute(this, action),
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
    long wantsChangedAt;

    private int loads;

    private long nextRangeId = 1;
    private final Map<Long, Long> epochs = new HashMap<>();
    private final Deque<Snapshot> history = new ArrayDeque<>();
    private final Deque<String> lastEvents = new ArrayDeque<>();
    private final SimActions actions = new SimActions(this);

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
        SimRange range = new SimRange(this, newRangeId(), from, to, 1 + random.nextInt(5));
        range.changedAt = now - 1_000;
        ranges.put(range.id, range);
        return range;
    }

    /** The number of a range that is about to be made. */
    long newRangeId() {
        return nextRangeId++;
    }

    static Key key(int point) {
        return point == 0 ? Key.FIRST : Key.of(new byte[] {(byte) (point >> 8), (byte) point});
    }

    static int point(Key key) {
        byte[] bytes = key.bytes();
        return bytes.length == 0 ? 0 : (bytes[0] & 0xff) << 8 | bytes[1] & 0xff;
    }

    /** How often the load has changed. */
    int loads() {
        return loads;
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

    // --- what a node sees

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

    void log(String event) {
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
