package io.godwit.kv;

import static io.godwit.kv.KvCluster.append;
import static io.godwit.kv.KvCluster.await;
import static io.godwit.kv.KvCluster.eventually;
import static io.godwit.kv.KvCluster.holds;
import static io.godwit.kv.KvCluster.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.balance.ActionOutcome;
import io.godwit.kv.balance.BalanceLoopConfig;
import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.operate.StoreControl;
import io.godwit.kv.operate.StoreOperations;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.store.StoreBalance;
import io.godwit.kv.store.StoreHealth;
import io.godwit.plugin.balance.BalanceAction.MoveLeader;
import io.godwit.plugin.balance.ClusterView;
import io.godwit.plugin.balance.Replica;
import io.godwit.plugin.balance.ReplicaGoal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One replica of three is damaged: it stops, the others go on, and after the grace period it is copied again, once. The
 * tests wait more than they work, and do so side by side.
 */
@Tag("slow")
@Timeout(180)
class DamagedReplicaTest {
    private static final int KEYS = 400;
    /** A table begins with data. */
    private static final int FIRST_BLOCK_BYTE = 16;

    private static final BalanceLoopConfig QUICK = new BalanceLoopConfig(
            Duration.ofMillis(200),
            Duration.ofSeconds(20),
            Duration.ofSeconds(5),
            Duration.ofMillis(500),
            Duration.ofSeconds(2),
            3);

    @TempDir
    Path directory;

    private KvCluster cluster(String graceSeconds) {
        StoreBalance balance = new StoreBalance(
                new ReplicaGoal(3, false),
                BalancePlan.shipped(Map.of("graceSeconds", graceSeconds, "settleSeconds", "1")),
                QUICK);
        return new KvCluster(directory).balance(balance).range(new RangeSettings(64L << 20, 64L << 10, 5_000));
    }

    private static void fill(KvCluster cluster) throws Exception {
        cluster.startAll();
        await(
                "three voters",
                () -> cluster.only(1).voters().size() == 3
                        && cluster.only(1).learners().isEmpty());
        List<CompletableFuture<byte[]>> answers = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            answers.add(append(cluster.client(2), "k" + i, value(i)));
        }
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        append(cluster.client(2), "k0", "!")
                .get(60, TimeUnit.SECONDS); // entries are few by then: a snapshot has been due
    }

    /** A value that hardly compresses. */
    private static String value(int i) {
        StringBuilder text = new StringBuilder();
        for (int j = 0; j < 40; j++) {
            text.append(Long.toString(Math.abs((i * 7_919L + j) * 0x9E3779B97F4A7C15L), 36));
        }
        return text.toString();
    }

    private static void assertAllThere(KvCluster cluster, int client) throws Exception {
        for (int i = 0; i < KEYS; i++) {
            assertThat(read(cluster.client(client), "k" + i)).startsWith(value(i));
        }
    }

    private Path database(int node) {
        return directory.resolve("node-" + node + "/test/range-1/db");
    }

    private List<Path> kept(int node) throws IOException {
        Path kept = directory.resolve("node-" + node).resolve("damaged");
        if (!Files.exists(kept)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(kept)) {
            return entries.toList();
        }
    }

    /**
     * Damages the first data block of every table, which is detected when somebody reads it. The middle of a small
     * table may be its properties, which are read when the database is opened.
     */
    private void flipTables(int node) throws IOException {
        try (Stream<Path> files = Files.list(database(node))) {
            for (Path file :
                    files.filter(name -> name.toString().endsWith(".sst")).toList()) {
                byte[] content = Files.readAllBytes(file);
                content[FIRST_BLOCK_BYTE] ^= 0x10;
                Files.write(file, content);
            }
        }
    }

    private static List<String> faults(KvCluster cluster, int node) {
        return cluster.only(node).faults();
    }

    private static boolean isDamageTold(KvCluster cluster, int node) {
        return faults(cluster, 1).stream()
                .anyMatch(fault -> fault.startsWith(cluster.id(node)) && fault.contains(".sst"));
    }

    private static void awaitCopiedAnew(KvCluster cluster, int seenBy, String storeId) {
        await(
                "copied anew",
                () -> faults(cluster, seenBy).isEmpty()
                        && cluster.only(seenBy).voters().contains(storeId)
                        && cluster.only(seenBy).learners().isEmpty());
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    @Tag("full")
    void aTableThatIsDamagedIsNoticedWhenItIsReadAndTheReplicaIsCopiedAnew() throws Exception {
        try (KvCluster cluster = cluster("2")) {
            fill(cluster);
            cluster.stop(3);
            flipTables(3);
            cluster.start(3);
            cluster.ready();
            // it may stop before anybody sees it lead; then the others answer. Damaged data is never returned
            eventually("told by node 3", () -> {
                cluster.offerLeadership(1, 3);
                for (int i = 0; i < KEYS && !isDamageTold(cluster, 3); i++) {
                    assertThat(read(cluster.client(3), "k" + i)).startsWith(value(i));
                }
                return isDamageTold(cluster, 3);
            });
            assertThat(cluster.node(3).health().get(KvCluster.STORE).state()).isEqualTo(StoreHealth.State.FAILED);
            append(cluster.client(2), "k0", "+").get(30, TimeUnit.SECONDS);

            String third = cluster.id(3);
            await("given up", () -> !cluster.only(1).voters().contains(third));
            awaitCopiedAnew(cluster, 1, third);
            assertThat(kept(3)).singleElement().satisfies(files -> {
                assertThat(files.getFileName().toString()).startsWith("test-1-at-");
                assertThat(Files.readString(files.resolve("WHY"))).contains(".sst");
                assertThat(files.resolve("db/CURRENT")).exists();
            });
            await("serves", () -> cluster.node(3).health().get(KvCluster.STORE).state() == StoreHealth.State.SERVING);

            cluster.moveLeader(1, 3);
            cluster.stop(1);
            assertAllThere(cluster, 3);
            assertThat(read(cluster.client(2), "k0")).endsWith("+");

            // only once: the second time somebody must look at the disk
            cluster.start(1);
            cluster.ready();
            cluster.stop(3);
            flipTables(3);
            cluster.start(3);
            cluster.ready();
            eventually("told again", () -> {
                StoreOperations.RangeInfo info = cluster.only(1);
                cluster.carryOut(1, new MoveLeader(info.id(), info.epoch(), third, "to have it read"));
                assertAllThere(cluster, 2);
                return !faults(cluster, 1).isEmpty();
            });
            holds(
                    "a voter beyond the grace period",
                    Duration.ofSeconds(5),
                    () -> cluster.only(1).voters().contains(third));
            assertThat(faults(cluster, 1)).isNotEmpty();
            assertThat(kept(3)).hasSize(1);

            delete(kept(3).get(0)); // somebody has looked
            await("given up again", () -> !cluster.only(1).voters().contains(third));
            awaitCopiedAnew(cluster, 1, third);
            assertAllThere(cluster, 3);
        }
    }

    /**
     * Damage in the database or in its first snapshot is detected at the start, and does not stop the node's other
     * ranges.
     */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @Tag("full")
    @ValueSource(strings = {"CURRENT", "MANIFEST", "missing", "SEAL"})
    void aReplicaThatIsDamagedAtTheStartDoesNotKeepTheNodeFromStarting(String what) throws Exception {
        try (KvCluster cluster = cluster("3")) {
            fill(cluster);
            String third = cluster.id(3);
            cluster.stop(3);
            damage(3, what);
            cluster.start(3);
            await("told", () -> faults(cluster, 1).stream().anyMatch(fault -> fault.startsWith(third)));
            StoreOperations.RangeInfo info = cluster.only(1);
            assertThat(cluster.carryOut(1, new MoveLeader(info.id(), info.epoch(), third, "test"))
                            .outcome())
                    .as("without the check, nothing could be written for an election timeout")
                    .isEqualTo(ActionOutcome.REFUSED);
            append(cluster.client(3), "k0", "+").get(30, TimeUnit.SECONDS);
            awaitCopiedAnew(cluster, 1, third);
            eventually("leads", () -> {
                cluster.moveLeader(1, 3);
                return true;
            });
            assertAllThere(cluster, 3);
            assertThat(kept(3)).hasSize(what.equals("missing") ? 0 : 1);
        }
    }

    private void damage(int node, String what) throws IOException {
        if (what.equals("missing")) {
            delete(database(node).getParent());
            return;
        }
        try (Stream<Path> files = Files.walk(database(node).getParent())) {
            List<Path> all = files.filter(file -> file.getFileName().toString().startsWith(what)
                            && (what.equals("SEAL") || file.startsWith(database(node))))
                    .toList();
            assertThat(all).isNotEmpty();
            for (Path file : all) {
                byte[] content = Files.readAllBytes(file);
                content[content.length / 2] ^= 0x10;
                Files.write(file, content);
            }
        }
    }

    /** A fault seen for the first time has lasted for a duration of zero, not for a negative one. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void theFirstViewOfAReplicaThatHasStoppedIsOneToBalanceBy() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            cluster.replicate();
            String third = cluster.id(3);
            cluster.moveLeader(1, 1);
            cluster.stop(3);
            damage(3, "CURRENT");
            cluster.start(3);
            await("told", () -> !faults(cluster, 1).isEmpty());
            ClusterView view =
                    ((StoreControl) cluster.operations(1)).views().view().orElseThrow();
            assertThat(view.store(third).orElseThrow().isAlive()).isTrue();
            Replica replica = view.range(cluster.only(1).id())
                    .orElseThrow()
                    .replicaOn(third)
                    .orElseThrow();
            assertThat(replica.isCaughtUp()).isFalse();
            assertThat(replica.fault().orElseThrow().isReplaceable()).isTrue();
        }
    }

    /** The only voter has all the data: nothing may start without it. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void theOnlyVoterRefusesToStart() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            cluster.stop(1);
            damage(1, "CURRENT");
            assertThatThrownBy(() -> cluster.start(1))
                    .isInstanceOf(DamagedDataException.class)
                    .hasMessageContaining("CURRENT");
        }
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
