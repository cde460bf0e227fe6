package io.godwit.it.kv;

import io.godwit.it.kv.node.NodeOptions.Fault;
import io.godwit.it.kv.node.OperatorText;
import io.godwit.it.kv.node.OperatorText.RangeText;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three nodes with a few ranges, and over every node a writer and a reader of every range that never stop. Leaders are
 * taken away, and it is measured how long the clients of the other nodes go without an answer. Used by one thread.
 */
final class FailoverRun implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FailoverRun.class);

    private static final int NODES = 3;
    private static final int RANGES = 4;
    private static final long START_MILLIS = 60_000;
    private static final long WHOLE_MILLIS = 90_000;
    private static final long LOOK_MILLIS = 20;

    /**
     * What clients of the surviving nodes saw of one trouble, the worst of them.
     *
     * @param ranges that had lost their leader
     */
    record Outage(String trouble, int ranges, long writeMillis, long readMillis) {
        @Override
        public String toString() {
            return trouble + ", " + ranges + " ranges: writes " + writeMillis + " ms, reads " + readMillis + " ms";
        }

        /** By nearest rank. */
        static String percentiles(List<Outage> outages, ToLongFunction<Outage> millis) {
            long[] sorted = outages.stream().mapToLong(millis).sorted().toArray();
            return "p50 " + percentile(sorted, 50) + " ms, p99 " + percentile(sorted, 99) + " ms, max "
                    + sorted[sorted.length - 1] + " ms of " + sorted.length;
        }

        static long percentile(List<Outage> outages, int percent) {
            return percentile(
                    outages.stream().mapToLong(Outage::writeMillis).sorted().toArray(), percent);
        }

        private static long percentile(long[] sorted, int percent) {
            return sorted[(int) Math.ceil(percent / 100.0 * sorted.length) - 1];
        }
    }

    /** What is done to the leader, and taken back. */
    interface Trouble {
        void begin(TestCluster cluster, int leader, int other) throws IOException;

        void end(TestCluster cluster, int leader, int other) throws IOException;
    }

    private final TestCluster cluster;
    private final Random random;
    private final int electionMillis;
    /** By range, and by the node that they are over. */
    private final List<List<RegisterWatch>> watches = new ArrayList<>();

    private final List<String> stores = new ArrayList<>();

    /** @param electionMillis of the nodes; the requests are more patient than twice that */
    FailoverRun(Path data, Path logs, int electionMillis, long seed) throws IOException {
        this.random = new Random(seed);
        this.electionMillis = electionMillis;
        this.cluster = new TestCluster(
                NODES,
                new ProcessHosts(NODES, data, logs, false),
                List.of("r1", "r2", "r3"),
                Fault.GENUINE,
                NodeTerms.SMALL.withElectionMillis(electionMillis).withVotersSoon());
    }

    TestCluster cluster() {
        return cluster;
    }

    void start() throws IOException {
        cluster.start();
        for (int node = 0; node < NODES; node++) {
            cluster.awaitServing(node, START_MILLIS);
        }
        cluster.awaitVoters(0, NODES, START_MILLIS);
        for (int node = 0; node < NODES; node++) {
            stores.add(cluster.operate(node, "self", 1_000).substring("done ".length()));
        }
        for (int range = 0; range < RANGES; range++) {
            List<RegisterWatch> ofRange = new ArrayList<>();
            for (int node = 0; node < NODES; node++) {
                ofRange.add(new RegisterWatch(
                        "r" + range + 'n' + node, cluster.node(node).address(), 3 * electionMillis));
            }
            ofRange.forEach(RegisterWatch::start);
            watches.add(ofRange);
        }
        awaitWhole();
    }

    /**
     * kill -9 of the leader of a range; it is started again when all ranges have been written to, and the rest of what
     * it led measured too.
     */
    Outage kill(int number) throws IOException {
        int victim = scatter(number % RANGES);
        List<Integer> led = led(victim);
        long begin = System.nanoTime();
        cluster.node(victim).kill();
        long dead = System.nanoTime();
        List<RegisterWatch> waiting = survivors(led, victim);
        awaitAnswers(waiting, dead);
        Outage outage = new Outage(
                "kill of " + cluster.node(victim).name(),
                led.size(),
                latest(waiting, watch -> watch.firstWriteAfter(dead).orElseThrow() - begin),
                latest(waiting, watch -> watch.firstReadAfter(dead).orElseThrow() - begin));
        LOG.info("{}", outage);
        cluster.node(victim).start();
        awaitWhole();
        return outage;
    }

    /**
     * A trouble for so long. What counts is the longest time between two answers while it lasts, not the first answer:
     * a leadership that comes and goes is none.
     *
     * @param isOfOneLink whether all nodes live on in one cluster: then the clients of all of them count, and all
     *     ranges
     */
    Outage trouble(String name, int number, long millis, boolean isOfOneLink, Trouble trouble) throws IOException {
        int victim = scatter(number % RANGES);
        int other = (victim + 1 + random.nextInt(NODES - 1)) % NODES;
        List<Integer> led = led(victim);
        long begin = System.nanoTime();
        trouble.begin(cluster, victim, other);
        long begun = System.nanoTime();
        park(millis);
        long end = System.nanoTime();
        List<RegisterWatch> waiting = isOfOneLink ? all() : survivors(led, victim);
        Outage outage = new Outage(
                name + " at " + cluster.node(victim).name(),
                led.size(),
                latest(waiting, watch -> watch.longestWriteGap(begun, end)) + toMillis(begun - begin),
                latest(waiting, watch -> watch.longestReadGap(begun, end)) + toMillis(begun - begin));
        LOG.info("{}", outage);
        for (int range = 0; range < RANGES; range++) {
            for (int node = 0; node < NODES; node++) {
                RegisterWatch watch = watches.get(range).get(node);
                LOG.info(
                        "  over {}{}, range {}{}: writes {} ms, reads {} ms",
                        cluster.node(node).name(),
                        node == victim ? " (victim)" : node == other ? " (other)" : "",
                        range,
                        led.contains(range) ? " (lost its leader)" : "",
                        toMillis(watch.longestWriteGap(begun, end)),
                        toMillis(watch.longestReadGap(begun, end)));
            }
        }
        trouble.end(cluster, victim, other);
        long healed = System.nanoTime();
        awaitWhole();
        LOG.info("all answer {} ms after the end of it", toMillis(System.nanoTime() - healed));
        return outage;
    }

    /**
     * Returns the node that leads a range, after some leaders have been moved at random, so that not all of them are on
     * one node.
     */
    private int scatter(int watched) throws IOException {
        List<RangeText> ranges = ranges();
        RangeText moved = ranges.get(random.nextInt(ranges.size()));
        List<String> others = moved.voters().stream()
                .filter(voter -> !voter.equals(moved.leader()))
                .toList();
        String words = "transfer " + moved.id() + ' ' + moved.epoch() + ' ' + others.get(random.nextInt(others.size()));
        LOG.info("{}: {}", words, cluster.operate(stores.indexOf(moved.leader()), words, 10_000));
        awaitWhole();
        return stores.indexOf(ranges().get(watched).leader());
    }

    /** As the first node knows them, ordered by their keys. */
    private List<RangeText> ranges() throws IOException {
        String answer = cluster.operate(0, "ranges", 2_000);
        List<RangeText> ranges = new ArrayList<>(OperatorText.ranges(answer.substring("done ".length())));
        ranges.sort(Comparator.comparing(RangeText::start));
        return ranges;
    }

    private List<Integer> led(int node) throws IOException {
        List<RangeText> ranges = ranges();
        List<Integer> led = new ArrayList<>();
        for (int range = 0; range < ranges.size(); range++) {
            if (ranges.get(range).leader().equals(stores.get(node))) {
                led.add(range);
            }
        }
        return led;
    }

    private List<RegisterWatch> all() {
        return watches.stream().flatMap(List::stream).toList();
    }

    private List<RegisterWatch> survivors(List<Integer> ranges, int victim) {
        List<RegisterWatch> left = new ArrayList<>();
        for (int range : ranges) {
            for (int node = 0; node < NODES; node++) {
                if (node != victim) {
                    left.add(watches.get(range).get(node));
                }
            }
        }
        return left;
    }

    private static long latest(List<RegisterWatch> watches, ToLongFunction<RegisterWatch> nanos) {
        return toMillis(watches.stream().mapToLong(nanos).max().orElse(0));
    }

    /** Every client over every node is answered, and all agree on who leads. */
    void awaitWhole() throws IOException {
        for (int node = 0; node < NODES; node++) {
            cluster.awaitServing(node, WHOLE_MILLIS);
        }
        awaitAnswers(all(), System.nanoTime());
        long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WHOLE_MILLIS);
        while (!isAgreed()) {
            if (System.nanoTime() - giveUp > 0) {
                throw new IOException("the nodes do not agree on who leads");
            }
            park(LOOK_MILLIS);
        }
    }

    private boolean isAgreed() throws IOException {
        Map<Long, String> leaders = new HashMap<>();
        for (int node = 0; node < NODES; node++) {
            String answer = cluster.operate(node, "ranges", 2_000);
            List<RangeText> ranges = OperatorText.ranges(answer.substring("done ".length()));
            if (ranges.size() != RANGES) {
                return false;
            }
            for (RangeText range : ranges) {
                String known = leaders.putIfAbsent(range.id(), range.leader());
                if (range.leader().isEmpty() || known != null && !known.equals(range.leader())) {
                    return false;
                }
            }
        }
        return true;
    }

    private void awaitAnswers(List<RegisterWatch> waiting, long sinceNanos) throws IOException {
        long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WHOLE_MILLIS);
        for (RegisterWatch watch : waiting) {
            while (!isAnswered(watch, sinceNanos)) {
                if (System.nanoTime() - giveUp > 0) {
                    throw new IOException(
                            watch.key() + " is not answered" + cluster.node(0).said());
                }
                park(LOOK_MILLIS);
            }
        }
    }

    private static boolean isAnswered(RegisterWatch watch, long sinceNanos) {
        OptionalLong written = watch.firstWriteAfter(sinceNanos);
        OptionalLong read = watch.firstReadAfter(sinceNanos);
        return written.isPresent() && read.isPresent();
    }

    /** What readers were shown that they must not be shown. */
    List<String> violations() {
        return all().stream().flatMap(watch -> watch.violation().stream()).toList();
    }

    long answered() {
        return all().stream().mapToLong(RegisterWatch::answered).sum();
    }

    private static long toMillis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    private static void park(long millis) {
        Pace.passMillis(millis);
    }

    @Override
    public void close() throws IOException {
        // before the nodes: their addresses are nobody's after that, or somebody else's
        all().forEach(RegisterWatch::end);
        try {
            cluster.close();
        } finally {
            all().forEach(RegisterWatch::close);
        }
    }
}
