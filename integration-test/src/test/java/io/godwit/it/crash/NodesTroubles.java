package io.godwit.it.crash;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.cluster.BrokerCluster.Answer;
import io.godwit.it.cluster.BrokerCluster.RangeLine;
import io.godwit.it.cluster.BrokerCluster.Way;
import io.godwit.it.crash.NodesPlan.Step;
import io.godwit.it.kv.fault.ClockJump;
import io.godwit.it.kv.fault.Links;
import io.godwit.it.kv.fault.Signals;
import io.godwit.it.kv.fault.SmallDisk;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes of packaged brokers. Does to them what a plan says, and undoes it. Used by one thread. */
final class NodesTroubles implements Nodes {
    private static final Logger LOG = LoggerFactory.getLogger(NodesTroubles.class);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** After its disk has room again, until a node must serve by itself, or say that some of it has stopped. */
    private static final Duration RECOVERY = Duration.ofSeconds(15);

    private static final long SLOWEST_BYTES_PER_SECOND = 64 << 10;
    private static final List<String> STORES = List.of("dist", "inbox", "retain");
    /** Done, refused, or not the time: the ranges have changed, or there is no leader just now. */
    private static final Set<Integer> USUAL = Set.of(0, 1, 4, 5);

    private final BrokerCluster cluster;
    private final @Nullable NodesMeans means;
    private final Random random;

    /** @param means null when none of the plan's troubles needs any */
    NodesTroubles(BrokerCluster cluster, @Nullable NodesMeans means, long seed) {
        this.cluster = cluster;
        this.means = means;
        this.random = new Random(seed);
    }

    @Override
    public List<InetSocketAddress> addresses() {
        return cluster.nodes().stream().map(BrokerProcess::address).toList();
    }

    @Override
    public boolean runs(int node) throws IOException {
        return cluster.node(node).handle() != null;
    }

    @Override
    public String said(int node) throws IOException {
        return cluster.node(node).said();
    }

    @Override
    public void pass(Step step) throws IOException {
        int victim = step.victim();
        BrokerProcess node = cluster.node(victim);
        switch (step.trouble()) {
            case KILL -> {
                node.kill();
                startAgain(node, step);
            }
            case HICCUP, PAUSE -> standStill(node, step);
            case RESTART -> {
                node.stop();
                startAgain(node, step);
            }
            case WIPE -> wipe(victim, step);
            case DEAF -> cut(victim, step, true, false);
            case MUTE -> cut(victim, step, false, true);
            case APART -> cut(victim, step, true, true);
            case TRANSFER -> {
                String store = STORES.get(random.nextInt(STORES.size()));
                operate(victim, "transfer", store, anyRange(victim, store).id(), "--to", cluster.id(victim));
            }
            case SPLIT ->
                operate(victim, "split", "inbox", anyRange(victim, "inbox").id());
            case MERGE ->
                operate(victim, "merge", "inbox", anyRange(victim, "inbox").id());
            case DRAIN -> drain(victim, step);
            case SLOW -> slow(victim, step);
            case DELAY -> delay(victim, step);
            case FULL_DISK -> fillDisk(victim, step);
            case CLOCK -> setClock(victim, step);
        }
    }

    private NodesMeans means() {
        return Objects.requireNonNull(means, "what the plan's troubles need");
    }

    private static void startAgain(BrokerProcess node, Step step) throws IOException {
        Pace.passMillis(step.lastMillis());
        node.launch();
        node.awaitReady(PATIENCE);
    }

    private static void standStill(BrokerProcess node, Step step) throws IOException {
        ProcessHandle process = Objects.requireNonNull(node.handle(), "it runs");
        Signals.stop(process);
        try {
            Pace.passMillis(step.lastMillis());
        } finally {
            Signals.goOn(process);
        }
    }

    private void wipe(int victim, Step step) throws IOException {
        BrokerProcess node = cluster.node(victim);
        node.kill();
        delete(node.data());
        startAgain(node, step);
        String before = cluster.wiped(victim);
        Await.until("the node of before to be forgotten", PATIENCE, () -> {
            Answer answer = cluster.admin(Way.DATA, victim, "forget", before);
            LOG.info("forget: {}", answer);
            return answer.code() == 0;
        });
        awaitRedundancy(victim);
    }

    private static void delete(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(directory)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.delete(each);
        }
    }

    private void cut(int victim, Step step, boolean isDeaf, boolean isMute) throws IOException {
        Links cuttable = means().links();
        try {
            for (int other = 0; other < cluster.nodes().size(); other++) {
                if (other != victim && isDeaf) {
                    cuttable.cut(other, victim);
                }
                if (other != victim && isMute) {
                    cuttable.cut(victim, other);
                }
            }
            Pace.passMillis(step.lastMillis());
        } finally {
            for (int other = 0; other < cluster.nodes().size(); other++) {
                if (other != victim) {
                    cuttable.heal(other, victim);
                    cuttable.heal(victim, other);
                }
            }
        }
    }

    private void slow(int victim, Step step) throws IOException {
        Links links = means().links();
        long bytesPerSecond = SLOWEST_BYTES_PER_SECOND << random.nextInt(4);
        LOG.info("{} bytes a second to and from node {}", bytesPerSecond, victim);
        links.slow(victim, bytesPerSecond);
        try {
            Pace.passMillis(step.lastMillis());
        } finally {
            links.hasten(victim);
        }
    }

    private void delay(int victim, Step step) throws IOException {
        Links links = means().links();
        int mostMillis = 50 + random.nextInt(450);
        LOG.info("up to {} ms late to and from node {}", mostMillis, victim);
        links.delay(victim, mostMillis);
        try {
            int left = step.lastMillis();
            while (left > 0) {
                int pause = Math.min(left, 1_000 + random.nextInt(2_000));
                Pace.passMillis(pause);
                left -= pause;
                int nodes = cluster.nodes().size();
                links.reset(victim, (victim + 1 + random.nextInt(nodes - 1)) % nodes);
            }
        } finally {
            links.hasten(victim);
        }
    }

    private void fillDisk(int victim, Step step) throws IOException {
        SmallDisk disk = means().disk(victim);
        // nothing at all, below half of the mark under which less is written, and below the mark
        long left = NodesMeans.LOW_WATER_BYTES * List.of(0, 3, 8).get(random.nextInt(3)) / 10;
        LOG.info("the disk of node {} is filled, but for {} bytes", victim, left);
        disk.fill(left);
        try {
            Pace.passMillis(step.lastMillis());
        } finally {
            disk.empty();
        }
        restartUnlessWhole(victim);
    }

    /** Replicas whose log met a full disk have stopped, and say so: with room again, the operator restarts the node. */
    private void restartUnlessWhole(int victim) throws IOException {
        BrokerProcess node = cluster.node(victim);
        Await looks = Await.atMost(RECOVERY);
        while (looks.again()) {
            if (node.statusCode() == 0) {
                return;
            }
            if (node.status().contains("FAILED")) {
                break;
            }
        }
        LOG.info("node {} is restarted after its disk was full: {}", victim, node.status());
        node.stop();
        node.launch();
        node.awaitReady(PATIENCE);
    }

    private void setClock(int victim, Step step) throws IOException {
        ClockJump clock = means().clock(victim);
        int seconds = (60 + random.nextInt(600)) * (random.nextBoolean() ? 1 : -1);
        LOG.info("the clock of node {} is set {} s ahead", victim, seconds);
        clock.set(seconds);
        try {
            Pace.passMillis(step.lastMillis());
        } finally {
            clock.set(0);
        }
    }

    private void drain(int victim, Step step) throws IOException {
        int asked = (victim + 1) % cluster.nodes().size();
        operate(asked, "drain", cluster.id(victim), "--reduce", "--patience", "20");
        Pace.passMillis(step.lastMillis());
        Await.until(
                "the drain to be cancelled",
                PATIENCE,
                () -> cluster.admin(Way.DATA, asked, "drain", cluster.id(victim), "--cancel")
                                .code()
                        == 0);
        awaitRedundancy(asked);
    }

    /** The next trouble may take one of the voters away. A node that was wiped is none, though it is still listed. */
    private void awaitRedundancy(int asked) throws IOException {
        int voters = Math.min(3, cluster.nodes().size());
        Set<String> living =
                IntStream.range(0, cluster.nodes().size()).mapToObj(cluster::id).collect(Collectors.toSet());
        for (String store : STORES) {
            cluster.awaitRanges(
                    asked,
                    store,
                    "as many voters as before",
                    ranges -> ranges.stream()
                            .allMatch(range -> range.voters().stream()
                                                    .filter(living::contains)
                                                    .count()
                                            >= voters
                                    && !range.leader().isEmpty()));
        }
    }

    private RangeLine anyRange(int asked, String store) throws IOException {
        List<RangeLine> ranges = cluster.ranges(asked, store);
        return ranges.get(random.nextInt(ranges.size()));
    }

    /** It may be refused: other troubles have left their traces. */
    private void operate(int asked, String... command) throws IOException {
        Answer answer = cluster.admin(Way.DATA, asked, command);
        LOG.info("{}: {}", List.of(command), answer);
        if (!USUAL.contains(answer.code())) {
            throw new IOException(List.of(command) + ": " + answer);
        }
    }
}
