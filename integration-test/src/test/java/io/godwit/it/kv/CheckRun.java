package io.godwit.it.kv;

import io.godwit.it.kv.history.History;
import io.godwit.it.kv.history.Linearizability;
import io.godwit.it.kv.history.Linearizability.Verdict;
import io.godwit.it.kv.history.Reply;
import io.godwit.it.kv.node.NodeOptions.Fault;
import io.godwit.it.kv.node.VoterGoals;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run: nodes, load, nemesis and operator; then all is made whole, everything is read once more, and the history is
 * judged.
 */
final class CheckRun {
    private static final Logger LOG = LoggerFactory.getLogger(CheckRun.class);

    private static final int START_MILLIS = 60_000;
    private static final int WHOLE_MILLIS = 90_000;
    private static final int CHANGES_MILLIS = 40_000;
    private static final int READ_MILLIS = 60_000;
    private static final Duration JUDGING = Duration.ofMinutes(2);

    /**
     * How a run is to be.
     *
     * @param millis of troubles; 0 for each kind once
     * @param clients at the same time
     * @param pauseMillis between two requests of a client, on the average
     * @param longestPauseMillis how long a process stands still, or a link is cut, at most
     * @param wanted troubles, so far as they are possible
     */
    record Settings(
            int nodes,
            long millis,
            int clients,
            int pauseMillis,
            int longestPauseMillis,
            Fault fault,
            Set<Trouble> wanted,
            long seed) {

        Settings(int nodes, long millis, int clients, int pauseMillis, int longestPauseMillis, Fault fault, long seed) {
            this(nodes, millis, clients, pauseMillis, longestPauseMillis, fault, EnumSet.allOf(Trouble.class), seed);
        }

        Settings {
            wanted = Set.copyOf(wanted);
        }

        /** What an operator must get done at least once when all nodes are there. */
        Set<Change> changes() {
            Set<Change> changes = EnumSet.noneOf(Change.class);
            if (fault == Fault.GENUINE) {
                changes.add(Change.SPLIT);
                changes.add(Change.MERGE);
            }
            if (nodes > 1) {
                changes.add(Change.TRANSFER);
                changes.add(Change.CHANGE_VOTERS);
                changes.add(Change.MERGE_APART);
            }
            if (nodes > VoterGoals.USUAL) {
                changes.add(Change.MOVE);
            }
            return changes;
        }
    }

    /**
     * What a run has shown.
     *
     * @param troubledMillis of troubles, with the peace before each
     * @param deaths nodes that ended though nobody killed them
     * @param possible troubles that this machine lets us make
     * @param unsupported changes that the nodes do not know how to make
     */
    record Result(
            Verdict verdict,
            Map<Reply.Kind, Long> replies,
            long troubledMillis,
            List<String> deaths,
            Set<Trouble> possible,
            Map<Trouble, Integer> troubles,
            Map<Change, Integer> asked,
            Map<Change, Integer> done,
            Set<Change> unsupported) {

        boolean isGood() {
            return verdict.isLinearizable() && deaths.isEmpty();
        }

        String summary() {
            return verdict + "\nreplies " + replies + "\ntroubles " + troubles + "\nchanges asked for " + asked
                    + ", done " + done + ", unknown to the nodes " + unsupported
                    + (deaths.isEmpty() ? "" : '\n' + String.join("\n", deaths));
        }
    }

    private final Settings settings;
    private final Hosts.Maker hosts;
    private final Path data;
    private final Path kept;

    /** @param data a directory for the nodes' data */
    CheckRun(Settings settings, Path data) {
        this(settings, ProcessHosts::new, "", data);
    }

    /** @param kind of hosts, for the name of what is kept */
    CheckRun(Settings settings, Hosts.Maker hosts, String kind, Path data) {
        this.settings = settings;
        this.hosts = hosts;
        this.data = data;
        this.kept = Path.of(
                        "target",
                        "kv-check-" + kind + settings.fault() + '-' + settings.nodes() + "-nodes-"
                                + settings.millis() / 1_000 + "-s-" + settings.seed())
                .toAbsolutePath();
    }

    /**
     * The history and the nodes' logs stay below {@code target} when a run of nodes without a planted fault is not
     * good.
     */
    Result run() throws IOException {
        deleteKept();
        Files.createDirectories(kept);
        Result result;
        try (History history = new History(kept.resolve("history"))) {
            result = run(history);
        } catch (IOException | RuntimeException e) {
            throw new IOException("seed " + settings.seed() + ", see " + kept + ": " + e.getMessage(), e);
        }
        boolean hasFault = settings.fault() != Fault.GENUINE && settings.fault() != Fault.NONE;
        if (result.isGood() || hasFault) {
            deleteKept();
        } else {
            Files.writeString(kept.resolve("verdict"), result.summary());
            LOG.info("history and logs are kept in {}", kept);
        }
        return result;
    }

    private Result run(History history) throws IOException {
        List<String> keys = Workload.keys();
        List<String> splitKeys = List.of(keys.get(10), keys.get(20), keys.get(30));
        try (TestCluster cluster = cluster(splitKeys);
                Workload load = new Workload(
                        cluster.addresses(), history, settings.seed(), settings.clients(), settings.pauseMillis())) {
            Set<Trouble> possible =
                    NemesisPlan.possible(settings.nodes(), cluster.hosts().troubles());
            possible.retainAll(settings.wanted());
            NemesisPlan plan = NemesisPlan.of(
                    settings.seed(), settings.nodes(), settings.millis(), settings.longestPauseMillis(), possible);
            LOG.info("{}, {} troubles", settings, plan.steps().size());
            cluster.start();
            for (int node = 0; node < cluster.size(); node++) {
                cluster.awaitServing(node, START_MILLIS);
            }
            if (settings.nodes() > 1) {
                cluster.awaitVoters(
                        0, range -> VoterGoals.of(settings.nodes(), splitKeys, range.start()), START_MILLIS);
            }
            load.start();
            Nemesis nemesis = new Nemesis(cluster, history);
            Operator operator = new Operator(cluster, history, plan.changesSeed(), 1_500);
            operator.start();
            try (operator) {
                nemesis.carryOut(plan);
                nemesis.makeWhole(WHOLE_MILLIS);
                operator.awaitDone(settings.changes(), CHANGES_MILLIS);
            }
            Pace.passMillis(2_000);
            load.finish();
            try {
                load.readAll(READ_MILLIS);
            } catch (IOException e) {
                throw new IOException(e.getMessage() + "; " + knownRanges(cluster), e);
            }
            Verdict verdict = judge(history);
            return new Result(
                    verdict,
                    replies(history),
                    plan.millis(),
                    nemesis.deaths(),
                    possible,
                    nemesis.done(),
                    operator.asked(),
                    operator.done(),
                    operator.unsupported());
        }
    }

    /** What each node knows of the ranges, in one line: the summary of a build shows no more of a message. */
    private static String knownRanges(TestCluster cluster) {
        List<String> known = new ArrayList<>();
        for (int node = 0; node < cluster.size(); node++) {
            try {
                known.add("n" + (node + 1) + ": "
                        + cluster.operate(node, "ranges", 2_000).replace('\n', ' '));
            } catch (IOException e) {
                known.add("n" + (node + 1) + ": " + e.getMessage());
            }
        }
        return String.join("; ", known);
    }

    private TestCluster cluster(List<String> splitKeys) throws IOException {
        Files.createDirectories(data);
        Hosts found = hosts.make(settings.nodes(), data, kept, settings.fault());
        try {
            return new TestCluster(settings.nodes(), found, splitKeys, settings.fault());
        } catch (IOException | RuntimeException e) {
            found.close();
            throw e;
        }
    }

    private static Verdict judge(History history) {
        long begin = System.nanoTime();
        Verdict verdict = Linearizability.check(history.operations(), JUDGING);
        LOG.info("judged in {} ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
        return verdict;
    }

    private static Map<Reply.Kind, Long> replies(History history) {
        Map<Reply.Kind, Long> replies = new TreeMap<>();
        for (Reply.Kind kind : Reply.Kind.values()) {
            replies.put(kind, history.count(kind));
        }
        return replies;
    }

    private void deleteKept() throws IOException {
        if (!Files.exists(kept)) {
            return;
        }
        try (Stream<Path> files = Files.walk(kept)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
