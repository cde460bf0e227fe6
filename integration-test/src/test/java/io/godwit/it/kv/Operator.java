package io.godwit.it.kv;

import io.godwit.it.kv.history.History;
import io.godwit.it.kv.node.OperatorText;
import io.godwit.it.kv.node.OperatorText.RangeText;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Splits, merges, moves and so on, at random, on a thread of its own, while the nemesis does its part. What is asked
 * for follows from the seed and from what the nodes say of their ranges. Most of it may be refused: an operator who
 * asks at a bad time is part of the test.
 */
final class Operator implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Operator.class);

    private static final int MILLIS = 8_000;
    /** How often a learner is asked to be promoted, once a second: it must have caught up first. */
    private static final int PROMOTIONS = 10;
    /** How often a merge is asked for: the first time it has the leaders brought together. */
    private static final int MERGES = 5;

    private static final int MERGE_PAUSE_MILLIS = 300;

    private static final int LEAST_RANGES = 3;
    private static final int MOST_RANGES = 12;

    private final TestCluster cluster;
    private final History history;
    private final Random random;
    private final int pauseMillis;
    private final Thread thread = new Thread(this::run, "operator");
    private final Map<Change, Integer> asked = new ConcurrentHashMap<>();
    private final Map<Change, Integer> done = new ConcurrentHashMap<>();
    private final Set<Change> unsupported = ConcurrentHashMap.newKeySet();
    /** What is asked for before all else. */
    private final Set<Change> missing = ConcurrentHashMap.newKeySet();
    /** Store ids of the nodes, learned as they answer. */
    private final Map<Integer, String> stores = new TreeMap<>();

    private volatile boolean isOver;
    private volatile @Nullable Throwable failure;

    Operator(TestCluster cluster, History history, long seed, int pauseMillis) {
        this.cluster = cluster;
        this.history = history;
        this.random = new Random(seed);
        this.pauseMillis = pauseMillis;
    }

    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!isOver) {
                Pace.passMillis(pauseMillis / 2 + random.nextInt(pauseMillis));
                turn();
            }
        } catch (RuntimeException e) {
            LOG.error("operator has failed", e);
            failure = e;
        }
    }

    private void turn() {
        int node = random.nextInt(cluster.size());
        List<Change> wanted = new ArrayList<>(missing);
        if (wanted.isEmpty()) {
            wanted.addAll(List.of(Change.values()));
        }
        Change change = wanted.get(random.nextInt(wanted.size()));
        try {
            stores.put(node, answer(cluster.operate(node, "self", 1_000)));
            List<RangeText> ranges = ranges(node);
            if (ranges.isEmpty()) {
                return;
            }
            int choice = random.nextInt(ranges.size());
            boolean isMerge = change == Change.MERGE || change == Change.MERGE_APART;
            if (isMerge && ranges.size() <= LEAST_RANGES) {
                change = Change.SPLIT; // there is nothing to be merged before
            }
            if (change == Change.MOVE) {
                move(node, ranges.get(choice));
            } else if (change == Change.MERGE_APART) {
                mergeApart(node, ranges, choice);
            } else {
                for (String step : steps(change, ranges, choice)) {
                    asked.merge(change, 1, Integer::sum);
                    if (carryOut(node, change, step)) {
                        done(change);
                    }
                }
            }
        } catch (IOException e) {
            LOG.debug("node {} does not answer: {}", node, e.toString());
        }
    }

    private void done(Change change) {
        done.merge(change, 1, Integer::sum);
        missing.remove(change);
    }

    private List<RangeText> ranges(int node) throws IOException {
        return OperatorText.ranges(answer(cluster.operate(node, "ranges", 2_000)));
    }

    private static String answer(String reply) throws IOException {
        if (!reply.startsWith("done")) {
            throw new IOException(reply);
        }
        return reply.substring(4).strip();
    }

    private boolean carryOut(int node, Change change, String step) throws IOException {
        String reply = cluster.operate(node, step, MILLIS);
        history.note("operator: " + step + ": " + reply);
        LOG.info("operator: {}: {}", step, reply);
        if (reply.startsWith("not UNSUPPORTED")) {
            unsupported.add(change);
            missing.remove(change);
        }
        return reply.startsWith("done");
    }

    /** Requests to a node; none when there is nothing to be changed that way. */
    private List<String> steps(Change change, List<RangeText> ranges, int choice) {
        RangeText range = ranges.get(choice);
        String id = range.id() + " " + range.epoch();
        return switch (change) {
            case SPLIT -> ranges.size() >= MOST_RANGES ? List.of() : split(range, id);
            case MERGE -> {
                RangeText right = neighbour(ranges, choice);
                yield right == null ? List.of() : List.of(merge(range, right));
            }
            case TRANSFER -> {
                List<String> others = without(range.voters(), range.leader());
                yield others.isEmpty() ? List.of() : List.of("transfer " + id + ' ' + any(others));
            }
            case CHANGE_VOTERS -> changeVoters(range, id);
            case MERGE_APART, MOVE ->
                List.of(); // take several steps, each after a look at what the one before has done
        };
    }

    /** What a range may be merged with; null where it is the last, or there are few. */
    private static @Nullable RangeText neighbour(List<RangeText> ranges, int choice) {
        return ranges.size() > LEAST_RANGES && choice + 1 < ranges.size() ? ranges.get(choice + 1) : null;
    }

    private static String merge(RangeText left, RangeText right) {
        return "merge " + left.id() + ' ' + left.epoch() + ' ' + right.id() + ' ' + right.epoch();
    }

    /** Has another node lead the neighbour first, where the same one leads both. */
    private void mergeApart(int node, List<RangeText> ranges, int choice) throws IOException {
        RangeText left = ranges.get(choice);
        RangeText right = neighbour(ranges, choice);
        if (right == null) {
            return;
        }
        asked.merge(Change.MERGE_APART, 1, Integer::sum);
        if (left.leader().equals(right.leader())) {
            List<String> others = without(right.voters(), right.leader());
            if (others.isEmpty()
                    || !carryOut(
                            node,
                            Change.MERGE_APART,
                            "transfer " + right.id() + ' ' + right.epoch() + ' ' + any(others))) {
                return;
            }
            left = find(node, left.id());
            right = find(node, right.id());
        }
        boolean isApart = left != null && right != null && !left.leader().equals(right.leader());
        for (int i = 0; isApart && i < MERGES && left != null && right != null && !isOver; i++) {
            if (carryOut(node, Change.MERGE_APART, merge(left, right))) {
                done(Change.MERGE_APART);
                done(Change.MERGE);
                return;
            }
            Pace.passMillis(MERGE_PAUSE_MILLIS);
            left = find(node, left.id());
            right = find(node, right.id());
        }
    }

    private List<String> split(RangeText range, String id) {
        List<String> keys = Workload.keys().stream()
                .filter(key -> range.contains(key) && !key.equals(range.start()))
                .toList();
        return keys.isEmpty() ? List.of() : List.of("split " + id + ' ' + any(keys));
    }

    private List<String> changeVoters(RangeText range, String id) {
        List<String> followers = without(range.voters(), range.leader());
        List<String> absent = absent(range);
        List<String> steps = new ArrayList<>();
        absent.forEach(store -> steps.add("replica " + id + " ADD_LEARNER " + store));
        range.learners().forEach(store -> steps.add("replica " + id + " PROMOTE " + store));
        range.learners().forEach(store -> steps.add("replica " + id + " REMOVE " + store));
        if (range.voters().size() > 2) {
            followers.forEach(store -> steps.add("replica " + id + " DEMOTE " + store));
            followers.forEach(store -> steps.add("replica " + id + " REMOVE " + store));
        }
        return steps.isEmpty() ? List.of() : List.of(any(steps));
    }

    private void move(int node, RangeText range) throws IOException {
        List<String> followers = without(range.voters(), range.leader());
        List<String> absent = absent(range);
        if (followers.isEmpty() || absent.isEmpty()) {
            return;
        }
        asked.merge(Change.MOVE, 1, Integer::sum);
        String to = any(absent);
        if (!carryOut(node, Change.MOVE, "replica " + range.id() + ' ' + range.epoch() + " ADD_LEARNER " + to)) {
            return;
        }
        for (int i = 0; i < PROMOTIONS && !isOver; i++) {
            Pace.passMillis(1_000);
            RangeText now = find(node, range.id());
            if (now != null && now.learners().contains(to)) {
                carryOut(node, Change.MOVE, "replica " + now.id() + ' ' + now.epoch() + " PROMOTE " + to);
            } else if (now != null && now.voters().contains(to)) {
                List<String> others = without(without(now.voters(), now.leader()), to);
                if (!others.isEmpty()
                        && carryOut(
                                node,
                                Change.MOVE,
                                "replica " + now.id() + ' ' + now.epoch() + " REMOVE " + any(others))) {
                    done(Change.MOVE);
                    return;
                }
            }
        }
    }

    private @Nullable RangeText find(int node, long id) throws IOException {
        return ranges(node).stream()
                .filter(range -> range.id() == id)
                .findFirst()
                .orElse(null);
    }

    /** Goes on until each of these has been carried out at least once, or is unknown to the nodes. */
    void awaitDone(Set<Change> changes, long patienceMillis) {
        missing.addAll(changes);
        missing.removeAll(done.keySet());
        missing.removeAll(unsupported);
        Await looks = Await.atMost(Duration.ofMillis(patienceMillis));
        boolean isInTime = true;
        while (!missing.isEmpty() && thread.isAlive() && isInTime) {
            isInTime = looks.again();
        }
    }

    private List<String> absent(RangeText range) {
        List<String> absent = new ArrayList<>(stores.values());
        absent.removeAll(range.voters());
        absent.removeAll(range.learners());
        return absent;
    }

    private static List<String> without(List<String> names, String name) {
        return names.stream().filter(each -> !each.equals(name)).toList();
    }

    private String any(List<String> names) {
        return names.get(random.nextInt(names.size()));
    }

    /** What was carried out, how often. Call after the close. */
    Map<Change, Integer> done() {
        return done;
    }

    /** What was asked for, how often. Call after the close. */
    Map<Change, Integer> asked() {
        return asked;
    }

    /** What the nodes do not know how to do. Call after the close. */
    Set<Change> unsupported() {
        return unsupported;
    }

    @Override
    public void close() {
        isOver = true;
        try {
            thread.join(MILLIS + 10_000L);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Throwable cause = failure;
        if (cause != null) {
            throw new IllegalStateException("the operator has failed", cause);
        }
    }
}
