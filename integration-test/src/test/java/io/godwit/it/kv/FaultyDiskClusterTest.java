package io.godwit.it.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.godwit.it.kv.fault.SmallDisk;
import io.godwit.it.kv.history.Reply;
import io.godwit.it.kv.history.Request;
import io.godwit.it.kv.node.NodeOptions.Fault;
import io.godwit.it.kv.node.OperatorText;
import io.godwit.it.kv.node.OperatorText.RangeText;
import io.godwit.it.powerloss.PowerLoss;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Three nodes as processes, two ranges with three voters each; what one node has on its disk goes bad. What that node
 * cannot vouch for stops there and says so, the others go on, all that was acknowledged is there, and after the grace
 * period, here some seconds, there are three voters again. The tests of {@code -Pfull} wait more than they work, and do
 * so side by side.
 */
@Timeout(180)
class FaultyDiskClusterTest {
    private static final int GRACE_SECONDS = 4;
    private static final int REGISTERS = 240;
    private static final Duration PATIENCE = Duration.ofSeconds(50);
    /** The one whose disk is ill; the first may have a small disk and did begin the cluster. */
    private static final int ILL = 2;

    @TempDir
    private Path directory;

    private Path logs;

    @BeforeEach
    void logs() {
        logs = directory.resolve("logs");
    }

    private TestCluster cluster() throws IOException {
        return new TestCluster(
                3,
                new ProcessHosts(3, directory.resolve("nodes"), logs, true),
                List.of(register(REGISTERS / 2)),
                Fault.GENUINE,
                NodeTerms.SMALL.withGraceSeconds(GRACE_SECONDS));
    }

    private static void start(TestCluster cluster) throws Exception {
        cluster.start();
        for (int node = 0; node < 3; node++) {
            cluster.awaitServing(node, 40_000);
        }
        cluster.awaitVoters(0, 3, 40_000);
        write(cluster, 1, 0, REGISTERS, "a");
    }

    private static String register(int i) {
        return String.format("r%04d", i);
    }

    /** Long enough that the tables have many blocks; a register's value tells which it is. */
    private static String value(int i, String round) {
        StringBuilder text = new StringBuilder(register(i)).append(round);
        for (int j = 0; j < 60; j++) {
            text.append(Long.toString(Math.abs((i * 7_919L + j) * 0x9E3779B97F4A7C15L), 36));
        }
        return text.toString();
    }

    /** All acknowledged when it returns; what is not acknowledged is written again. */
    private static void write(TestCluster cluster, int by, int from, int to, String round) throws Exception {
        for (int i = from; i < to; i++) {
            Request request = Request.write(register(i), value(i, round));
            eventually(
                    "written: " + register(i),
                    () -> ask(cluster, by, request).kind().equals(Reply.Kind.OK));
        }
    }

    private static void assertAllThere(TestCluster cluster, int by, int from, int to, String round) throws Exception {
        for (int i = from; i < to; i++) {
            Request request = Request.read(register(i));
            Reply[] reply = new Reply[1];
            eventually("read: " + register(i), () -> {
                reply[0] = ask(cluster, by, request);
                return reply[0].kind().equals(Reply.Kind.VALUE);
            });
            assertThat(reply[0].value()).as(register(i)).isEqualTo(value(i, round));
        }
    }

    private static Reply ask(TestCluster cluster, int by, Request request) throws IOException {
        try (NodeClient client = new NodeClient(cluster.node(by).address())) {
            return Reply.parse(client.ask(request.toString(), 4_000, 8_000));
        }
    }

    private static String operate(TestCluster cluster, int node, String words) throws IOException {
        return cluster.operate(node, words, 8_000);
    }

    private static String storeId(TestCluster cluster, int node) throws IOException {
        return operate(cluster, node, "self").substring(5);
    }

    private static List<RangeText> ranges(TestCluster cluster, int node) throws IOException {
        String answer = operate(cluster, node, "ranges");
        assertThat(answer).startsWith("done ");
        return OperatorText.ranges(answer.substring(5));
    }

    private static void lead(TestCluster cluster, int by, String storeId) {
        eventually("led by " + storeId, () -> {
            boolean isLed = true;
            for (RangeText range : ranges(cluster, by)) {
                if (!range.leader().equals(storeId)) {
                    isLed = false;
                    operate(cluster, by, "transfer " + range.id() + " " + range.epoch() + " " + storeId);
                }
            }
            return isLed;
        });
    }

    private static void awaitFault(TestCluster cluster, int by, String storeId, String what) {
        eventually("told: " + what, () -> {
            String faults = operate(cluster, by, "faults");
            return faults.contains(storeId) && faults.contains(what);
        });
    }

    private static void awaitThreeVoters(TestCluster cluster, int by, String storeId) {
        eventually(
                "three voters again, " + storeId + " among them",
                () -> operate(cluster, by, "faults").strip().equals("done")
                        && ranges(cluster, by).stream()
                                .allMatch(range -> range.voters().size() == 3
                                        && range.voters().contains(storeId)
                                        && range.learners().isEmpty()));
    }

    /** The node alone must have all that was acknowledged: it leads while another is dead. */
    private static void assertWhole(TestCluster cluster, int node, String storeId, String round) throws Exception {
        lead(cluster, 0, storeId);
        cluster.node(1).kill();
        assertAllThere(cluster, node, 0, REGISTERS, round);
        cluster.node(1).start();
        cluster.awaitServing(1, 40_000);
    }

    private static List<Path> files(Path directory, String like) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().matches(like)).sorted().toList();
        }
    }

    private static void flipMiddle(List<Path> files) throws IOException {
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            byte[] content = Files.readAllBytes(file);
            content[content.length / 2] ^= 0x10;
            Files.write(file, content); // in place: a process that has it open sees it
        }
    }

    private static List<Path> tables(TestCluster cluster) throws IOException {
        return files(cluster.process(ILL).data().resolve("check"), ".*/db/[0-9]+\\.sst").stream()
                .filter(file -> !file.toString().contains("snapshot"))
                .toList();
    }

    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void aTableDamagedUnderARunningNodeStopsItsRangeThereAndTheReplicaIsCopiedAnew() throws Exception {
        aDamagedTableStopsItsRangeThereAndTheReplicaIsCopiedAnew(true);
    }

    @Test
    @Tag("long")
    void aTableDamagedUnderAStoppedNodeStopsItsRangeThereAndTheReplicaIsCopiedAnew() throws Exception {
        aDamagedTableStopsItsRangeThereAndTheReplicaIsCopiedAnew(false);
    }

    private void aDamagedTableStopsItsRangeThereAndTheReplicaIsCopiedAnew(boolean runs) throws Exception {
        try (TestCluster cluster = cluster()) {
            start(cluster);
            String ill = storeId(cluster, ILL);
            cluster.node(ILL).stop(); // which makes tables of all there is
            if (!runs) {
                flipMiddle(tables(cluster));
            }
            cluster.node(ILL).start();
            cluster.awaitServing(ILL, 40_000);
            if (runs) {
                flipMiddle(tables(cluster));
            }
            eventually("noticed by whoever reads it", () -> {
                for (RangeText range : ranges(cluster, 0)) {
                    if (!range.leader().equals(ill)) {
                        operate(cluster, 0, "transfer " + range.id() + " " + range.epoch() + " " + ill);
                    }
                }
                assertAllThere(cluster, ILL, 0, REGISTERS, "a"); // what is damaged is told nowhere
                String faults = operate(cluster, 0, "faults");
                return faults.contains(ill) && faults.contains(".sst");
            });
            write(cluster, ILL, 0, REGISTERS, "b");

            awaitThreeVoters(cluster, 0, ill);
            assertThat(files(cluster.process(ILL).data().resolve("damaged"), ".*/WHY"))
                    .isNotEmpty();
            assertWhole(cluster, ILL, ill, "b");
        }
    }

    /**
     * One range cannot be opened. The node starts for the other. (Between nodes in one process
     * {@code DamagedReplicaTest} of base-kv shows it at every build.)
     */
    @Test
    @Tag("long")
    void aDatabaseThatCannotBeOpenedDoesNotKeepTheNodeFromStarting() throws Exception {
        try (TestCluster cluster = cluster()) {
            start(cluster);
            String ill = storeId(cluster, ILL);
            cluster.node(ILL).kill();
            flipMiddle(List.of(cluster.process(ILL).data().resolve("check/range-1/db/CURRENT")));
            cluster.node(ILL).start();
            awaitFault(cluster, 0, ill, "CURRENT");
            assertThat(operate(cluster, 0, "faults")).doesNotContain("range-2");
            assertAllThere(cluster, ILL, 0, REGISTERS, "a");
            write(cluster, ILL, 0, REGISTERS, "b");
            awaitThreeVoters(cluster, 0, ill);
            assertThat(files(cluster.process(ILL).data().resolve("damaged"), ".*/WHY"))
                    .hasSize(1);
            assertWhole(cluster, ILL, ill, "b");
        }
    }

    /**
     * The log is all ranges': the node does not start on it. Its operator puts it aside, and the node comes as a new
     * one.
     */
    @Test
    @Tag("long")
    void aDamagedRecordOfTheLogStopsTheNodeAndAnEmptyOneTakesItsPlace() throws Exception {
        try (TestCluster cluster = cluster()) {
            start(cluster);
            NodeProcess node = cluster.process(ILL);
            node.kill();
            flipMiddle(files(node.data().resolve("raft-log"), ".*/[0-9]+\\.log").stream()
                    .filter(file -> file.toFile().length() > 0)
                    .toList());
            node.start();
            assertThat(node.awaitEnd(30)).as("refused").isTrue();
            assertThat(node.said()).contains("damaged data in").containsPattern("raft-log/[0-9]+\\.log");
            assertAllThere(cluster, 0, 0, REGISTERS, "a");
            write(cluster, 1, 0, REGISTERS, "b");

            Files.move(node.data(), node.data().resolveSibling("aside"));
            node.start();
            cluster.awaitServing(ILL, 40_000);
            String fresh = storeId(cluster, ILL);
            awaitThreeVoters(cluster, 0, fresh);
            assertWhole(cluster, ILL, fresh, "b");
        }
    }

    /**
     * What the disk holds is not known after it: nothing is written there any more, until the node is started again.
     */
    @Test
    @Tag("full")
    @Execution(ExecutionMode.CONCURRENT)
    void aFailedSyncStopsTheStoreOfTheNodeAndARestartBringsItBack() throws Exception {
        PowerLoss.assumePossible();
        try (TestCluster cluster = cluster()) {
            NodeProcess node = cluster.process(ILL);
            PowerLoss power = PowerLoss.over(node.data().getParent());
            node.environment(power.environment());
            start(cluster);
            String ill = storeId(cluster, ILL);
            lead(cluster, 0, ill);
            power.failNextSync();
            write(cluster, 1, 0, REGISTERS, "b");
            eventually("stopped", () -> operate(cluster, ILL, "health").contains("FAILED"));
            assertThat(operate(cluster, ILL, "health")).contains("raft log");
            assertAllThere(cluster, ILL, 0, REGISTERS, "b"); // led elsewhere, and asked through this node

            node.kill();
            node.start();
            cluster.awaitServing(ILL, 40_000);
            awaitThreeVoters(cluster, 0, ill);
            assertWhole(cluster, ILL, ill, "b");
            assertThat(node.data().resolve("damaged")).doesNotExist();
        }
    }

    /** Whoever leads has room. What was acknowledged meanwhile comes to the full one when it has room again. */
    @Test
    @Tag("long")
    void aFullDiskOfAFollowerKeepsNobodyElseFromWriting() throws Exception {
        try (TestCluster cluster = cluster()) {
            SmallDisk disk = cluster.disk();
            assumeTrue(disk != null, "no disk of its own can be mounted here");
            start(cluster);
            String full = storeId(cluster, 0);
            lead(cluster, 1, storeId(cluster, 1));
            disk.fill(0);
            write(cluster, 1, 0, REGISTERS, "b");
            assertAllThere(cluster, 2, 0, REGISTERS, "b");
            disk.empty();
            eventually("serves, or says why not", () -> {
                String health = operate(cluster, 0, "health");
                return health.startsWith("done SERVING") || health.startsWith("done FAILED");
            });
            cluster.node(0).kill();
            cluster.node(0).start();
            cluster.awaitServing(0, 40_000);
            awaitThreeVoters(cluster, 1, full);
            assertWhole(cluster, 0, full, "b");
        }
    }

    private static void eventually(String what, Callable<Boolean> condition) {
        Await looks = Await.atMost(PATIENCE);
        Throwable last = null;
        do {
            try {
                if (condition.call()) {
                    return;
                }
            } catch (Exception | AssertionError e) { // not yet
                last = e;
            }
        } while (looks.again());
        throw new AssertionError("not in time: " + what, last);
    }
}
