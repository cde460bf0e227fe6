package io.godwit.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.store.DiskGuard;
import io.godwit.kv.store.StoreHealth;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class KvNodeTest {
    private static final RangeSettings SMALL_LOG = new RangeSettings(64L << 20, 256 << 10, 5_000);

    @TempDir
    Path data;

    @Test
    void acknowledgedMutationsSurviveARestart() throws Exception {
        try (KvNode node = KvNode.open(config(RangeSettings.DEFAULT))) {
            RangeClient client = open(node, List.of(key(5_000)));
            List<CompletableFuture<byte[]>> answers = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                answers.add(append(client, i, "v" + i));
            }
            for (int i = 0; i < 10_000; i++) {
                assertThat(text(answers.get(i))).isEqualTo("v" + i);
            }
        }
        try (KvNode node = KvNode.open(config(RangeSettings.DEFAULT))) {
            RangeClient client = open(node, List.of());
            assertThat(client.rangeKeys(key(0), null)).hasSize(2);
            for (int i = 0; i < 10_000; i += 97) {
                assertThat(query(client, i)).isEqualTo("v" + i);
            }
            assertThat(text(append(client, 42, "+"))).isEqualTo("v42+");
        }
    }

    @Test
    void theLogIsCutBehindSnapshotsAndARestartNeedsOnlyTheRest() throws Exception {
        for (int round = 0; round < 3; round++) {
            try (KvNode node = KvNode.open(config(SMALL_LOG))) {
                RangeClient client = open(node, List.of());
                for (int i = 0; i < 40; i++) {
                    List<CompletableFuture<byte[]>> answers = new ArrayList<>();
                    for (int j = 0; j < 50; j++) {
                        answers.add(append(client, round * 10_000 + i * 50 + j, "x".repeat(1_000)));
                    }
                    answers.forEach(CompletableFuture::join);
                }
                for (int r = 0; r <= round; r++) {
                    assertThat(query(client, r * 10_000 + 77)).hasSize(1_000);
                }
            }
        }
        try (var snapshots = Files.list(data.resolve("test/range-1/snapshot"))) {
            assertThat(snapshots.filter(path -> path.getFileName().toString().startsWith("snapshot_")))
                    .hasSize(1);
        }
    }

    @Test
    void carriesAMutationOf20MiB() throws Exception {
        String large = "z".repeat(20 << 20);
        RangeSettings roomy = new RangeSettings(64L << 20, 21 << 20, 64L << 20, 5_000);
        try (KvNode node = KvNode.open(config(roomy))) {
            RangeClient client = open(node, List.of());
            append(client, 0, "small");
            assertThat(text(append(client, 1, large))).hasSize(large.length());
            assertThat(node.mutationsTooLarge()).isZero();
        }
        try (KvNode node = KvNode.open(config(RangeSettings.DEFAULT))) {
            assertThat(query(open(node, List.of()), 1))
                    .as("a large value that was stored earlier can be read")
                    .isEqualTo(large);
        }
    }

    /** Because it could not be sent to followers. */
    @Test
    void refusesAMutationBeyondItsLimitAndGoesOn() throws Exception {
        try (KvNode node = KvNode.open(config(RangeSettings.DEFAULT))) {
            RangeClient client = open(node, List.of());
            CompletableFuture<byte[]> before = append(client, 0, "before");
            CompletableFuture<byte[]> large = append(client, 1, "z".repeat(RangeSettings.DEFAULT_MUTATION_BYTES));
            assertThat(text(append(client, 0, " behind"))).isEqualTo("before behind");
            assertThat(before).isCompleted();
            assertThat(large)
                    .failsWithin(5, TimeUnit.SECONDS)
                    .withThrowableThat()
                    .havingCause()
                    .matches(cause -> reason(cause) == Cause.TOO_LARGE);
            assertThat(node.mutationsTooLarge()).isOne();
            assertThat(query(client, 1)).isEmpty();
        }
    }

    @Test
    void eightRangesServeManyThreadsAndKeepTheOrderOfEach() throws Exception {
        List<byte[]> splits = new ArrayList<>();
        for (int i = 1; i < 8; i++) {
            splits.add(key(i * 1_000));
        }
        try (KvNode node = KvNode.open(config(RangeSettings.DEFAULT))) {
            RangeClient client = open(node, splits);
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int own = t;
                Thread thread = new Thread(() -> {
                    List<CompletableFuture<byte[]>> answers = new ArrayList<>();
                    for (int i = 0; i < 500; i++) {
                        for (int range = 0; range < 8; range++) {
                            answers.add(append(client, range * 1_000 + own, (char) ('a' + i % 26) + ""));
                        }
                    }
                    answers.forEach(CompletableFuture::join);
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            StringBuilder expected = new StringBuilder();
            for (int i = 0; i < 500; i++) {
                expected.append((char) ('a' + i % 26));
            }
            for (int range = 0; range < 8; range++) {
                for (int own = 0; own < 4; own++) {
                    assertThat(query(client, range * 1_000 + own)).isEqualTo(expected.toString());
                }
            }
        }
    }

    @Test
    void writesOnlyWhatRelievesWhileTheDiskIsNearlyFullAndNothingBelowHalfOfThat() throws Exception {
        AtomicLong free = new AtomicLong(1_000_000);
        KvNodeConfig config =
                new KvNodeConfig(data, true, 32 << 20, 16 << 20, RangeSettings.DEFAULT, OptionalLong.of(1_000));
        try (KvNode node = KvNode.open(config, path -> disk(free))) {
            RangeClient client = open(node, List.of());
            append(client, 1, "a").join();

            free.set(999);
            node.checkDisk();
            assertDiskFull(append(client, 1, "b"));
            assertThat(text(relieve(client, 1, "-"))).isEqualTo("a-");
            assertThat(query(client, 1)).isEqualTo("a-");
            assertThat(node.health().get("test").state()).isEqualTo(StoreHealth.State.READ_ONLY);

            free.set(499);
            node.checkDisk();
            assertDiskFull(append(client, 1, "b"));
            assertDiskFull(relieve(client, 1, "b"));
            assertThat(query(client, 1)).isEqualTo("a-");
            assertThat(node.health().get("test").detail()).contains("500");

            free.set(1_125);
            node.checkDisk();
            assertThat(text(append(client, 1, "c"))).isEqualTo("a-c");
            assertThat(node.health().get("test").state()).isEqualTo(StoreHealth.State.SERVING);
        }
    }

    @Test
    void aMissingRangeDirectoryIsRefused() throws Exception {
        fill();
        delete(data.resolve("test/range-1"));
        assertRefused(data.resolve("test/range-1/db"));
    }

    @Test
    void aLogThatEndsBeforeTheDatabaseIsRefused() throws Exception {
        fill();
        delete(data.resolve("raft-log"));
        assertThatThrownBy(this::fill).isInstanceOf(DamagedDataException.class).hasMessageContaining("raft-log");
    }

    @Test
    void aLostLogIsRefusedEvenWithoutItsMark() throws Exception {
        fill();
        delete(data.resolve("raft-log"));
        Files.deleteIfExists(data.resolve("raft-log.synced"));
        assertThatThrownBy(this::fill).isInstanceOf(DamagedDataException.class).hasMessageContaining("raft-log");
    }

    @Test
    void noDataIsRefusedWithoutBootstrap() {
        KvNodeConfig config = new KvNodeConfig(
                data.resolve("new"), false, 32 << 20, 16 << 20, RangeSettings.DEFAULT, OptionalLong.empty());
        assertThatThrownBy(() -> KvNode.open(config))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("bootstrap");
        assertThat(data.resolve("new")).doesNotExist();
    }

    @Test
    void requestsAfterCloseAreRefused() throws Exception {
        KvNode node = KvNode.open(config(RangeSettings.DEFAULT));
        RangeClient client = open(node, List.of());
        node.close();
        assertThat(append(client, 1, "a"))
                .failsWithin(5, TimeUnit.SECONDS)
                .withThrowableThat()
                .havingCause()
                .matches(cause -> reason(cause) == Cause.CLOSED);
    }

    private void fill() throws Exception {
        try (KvNode node = KvNode.open(config(RangeSettings.DEFAULT))) {
            append(open(node, List.of()), 1, "a").join();
        }
    }

    private void assertRefused(Path named) {
        assertThatThrownBy(this::fill).isInstanceOf(DamagedDataException.class).hasMessageContaining(named.toString());
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private KvNodeConfig config(RangeSettings settings) {
        return new KvNodeConfig(data, true, 32 << 20, 16 << 20, settings, OptionalLong.of(1));
    }

    static DiskGuard.Disk disk(AtomicLong free) {
        return new DiskGuard.Disk() {
            @Override
            public long usableBytes() {
                return free.get();
            }

            @Override
            public long totalBytes() {
                return Long.MAX_VALUE;
            }
        };
    }

    private static RangeClient open(KvNode node, List<byte[]> splits) throws Exception {
        KvStore store = node.open(new StoreSpec("test", AppendCoprocessor::new, splits));
        node.ready().get(30, TimeUnit.SECONDS);
        return store.client();
    }

    private static CompletableFuture<byte[]> append(RangeClient client, int key, String suffix) {
        byte[] name = key(key);
        return client.mutate(
                name, (new String(name, UTF_8) + "=" + suffix).getBytes(UTF_8), Deadline.afterMillis(30_000));
    }

    private static CompletableFuture<byte[]> relieve(RangeClient client, int key, String suffix) {
        byte[] name = key(key);
        return client.relieve(
                name, (new String(name, UTF_8) + "=" + suffix).getBytes(UTF_8), Deadline.afterMillis(30_000));
    }

    private static void assertDiskFull(CompletableFuture<byte[]> answer) {
        assertThat(answer)
                .failsWithin(5, TimeUnit.SECONDS)
                .withThrowableThat()
                .havingCause()
                .matches(cause -> reason(cause) == Cause.DISK_FULL);
    }

    private static String query(RangeClient client, int key) throws Exception {
        return text(client.query(key(key), key(key), Deadline.afterMillis(30_000)));
    }

    private static byte[] key(int number) {
        return String.format("k%08d", number).getBytes(UTF_8);
    }

    private static String text(CompletableFuture<byte[]> answer) throws Exception {
        return new String(answer.get(60, TimeUnit.SECONDS), UTF_8);
    }

    private static Cause reason(Throwable cause) {
        return ((RangeException) cause).reason();
    }
}
