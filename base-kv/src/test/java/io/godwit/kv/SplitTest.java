package io.godwit.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.operate.OperationResult;
import io.godwit.kv.operate.StoreOperations;
import io.godwit.kv.range.Range;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import io.godwit.plugin.balance.BalanceAction;
import io.godwit.plugin.balance.Key;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A range is split on a single node. */
@Timeout(120)
class SplitTest {
    static final int KEYS = 64;

    @TempDir
    Path directory;

    @Test
    void bothPartsServeWhatTheyHadAndStayCutOverARestart() throws Exception {
        Path data = directory.resolve("data");
        try (KvNode node = KvNode.open(config(data))) {
            KvStore store = open(node);
            for (int i = 0; i < KEYS; i++) {
                append(store.client(), i, "v" + i).join();
            }
            assertThat(split(store, 1, 1, key(20))).isEqualTo(ChangeOutcome.DONE);
            assertThat(split(store, 1, 2, null)).isEqualTo(ChangeOutcome.DONE);
            assertThat(store.ranges().all()).hasSize(3);
            assertAllThere(store.client());
            append(store.client(), 5, "+").join();
            append(store.client(), 50, "+").join();
        }
        try (KvNode node = KvNode.open(config(data))) {
            KvStore store = open(node);
            assertThat(store.client().rangeKeys(new byte[0], null)).hasSize(3);
            assertThat(store.ranges().all())
                    .allSatisfy(range -> assertThat(range.state().epoch()).isGreaterThan(1));
            assertAllThere(store.client());
            assertThat(value(store.client(), 50)).isEqualTo("v50+");
        }
    }

    @Test
    void aSplitForAnotherEpochOrKeyChangesNothing() throws Exception {
        try (KvNode node = KvNode.open(config(directory.resolve("data")))) {
            KvStore store = open(node);
            append(store.client(), 1, "a").join();
            append(store.client(), 30, "b").join();
            assertThat(split(store, 1, 7, key(20))).isEqualTo(ChangeOutcome.STALE);
            assertThat(split(store, 1, 1, key(20))).isEqualTo(ChangeOutcome.DONE);
            assertThat(split(store, 1, 2, key(40))).isEqualTo(ChangeOutcome.STALE); // the key is of the other range
            assertThat(split(store, 1, 2, null)).isEqualTo(ChangeOutcome.STALE); // a single key cannot be split
            assertThat(store.ranges().all()).hasSize(2);
            assertThat(value(store.client(), 30)).isEqualTo("b");
        }
    }

    /** The reasons that an operator gets. */
    @Test
    void aSplitThatIsNotDoneSaysWhy() throws Exception {
        AtomicLong free = new AtomicLong(1_000_000);
        KvNodeConfig config = new KvNodeConfig(
                directory.resolve("data"), true, 32 << 20, 16 << 20, RangeSettings.DEFAULT, OptionalLong.of(1_000));
        try (KvNode node = KvNode.open(config, path -> KvNodeTest.disk(free))) {
            KvStore store = open(node);
            assertThat(asked(node, 1, null)).startsWith("REFUSED: the range has no key to split at");
            append(store.client(), 30, "b").join();
            assertThat(asked(node, 7, null)).isEqualTo("STALE: range 1 has epoch 1, not 7");
            assertThat(asked(node, 1, key(20))).isEqualTo("DONE: ");
            assertThat(asked(node, 2, key(40)))
                    .isEqualTo("REFUSED: the key k00040 does not lie after the first key of the range, which is "
                            + "[first, k00020)");
            free.set(999);
            node.checkDisk();
            assertThat(asked(node, 2, key(10))).isEqualTo("REFUSED: the disk is nearly full");
        }
    }

    private static String asked(KvNode node, long epoch, byte @Nullable [] key) throws Exception {
        StoreOperations store = node.operations().store("test").orElseThrow();
        Await.until("a leader", () -> !store.ranges().get(0).leader().isEmpty()); // it is made again after a split
        OperationResult result = store.carryOut(
                        new BalanceAction.Split(
                                1, epoch, Optional.ofNullable(key).map(Key::of), "test"),
                        Deadline.afterMillis(20_000))
                .get(30, TimeUnit.SECONDS);
        return result.outcome() + ": " + result.detail();
    }

    /** A split in the log must be carried out, and a full disk would stop the range. */
    @Test
    void nothingIsCutWhileTheDiskIsNearlyFull() throws Exception {
        AtomicLong free = new AtomicLong(1_000_000);
        KvNodeConfig config = new KvNodeConfig(
                directory.resolve("data"), true, 32 << 20, 16 << 20, RangeSettings.DEFAULT, OptionalLong.of(1_000));
        try (KvNode node = KvNode.open(config, path -> KvNodeTest.disk(free))) {
            KvStore store = open(node);
            append(store.client(), 1, "a").join();
            append(store.client(), 30, "b").join();
            free.set(999);
            node.checkDisk();
            assertThat(split(store, 1, 1, key(20))).isEqualTo(ChangeOutcome.BUSY);
            assertThat(split(store, 1, 1, null)).isEqualTo(ChangeOutcome.BUSY);
            free.set(2_000);
            node.checkDisk();
            assertThat(split(store, 1, 1, key(20))).isEqualTo(ChangeOutcome.DONE);
        }
    }

    /**
     * The files after a crash without any flush: the log is replayed over databases from before and after the split.
     */
    @Test
    void aCrashRightAfterSplitsLosesNothingAndReplaysThem() throws Exception {
        Path data = directory.resolve("data");
        Path copy = directory.resolve("copy");
        try (KvNode node = KvNode.open(config(data))) {
            KvStore store = open(node);
            for (int i = 0; i < KEYS; i++) {
                append(store.client(), i, "v" + i).join();
            }
            assertThat(split(store, 1, 1, key(32))).isEqualTo(ChangeOutcome.DONE);
            assertThat(split(store, 1, 2, key(16))).isEqualTo(ChangeOutcome.DONE);
            for (int i = 0; i < KEYS; i += 3) {
                append(store.client(), i, "+").join();
            }
            copy(data, copy);
        }
        for (int round = 0; round < 2; round++) { // opens the result of the replay once more
            try (KvNode node = KvNode.open(config(copy))) {
                KvStore store = open(node);
                assertThat(store.client().rangeKeys(new byte[0], null)).hasSize(3);
                for (int i = 0; i < KEYS; i++) {
                    assertThat(value(store.client(), i)).isEqualTo("v" + i + (i % 3 == 0 ? "+" : ""));
                }
            }
        }
    }

    /**
     * Every thread appends letters to its own keys, without waiting, while ranges are split: each letter is there once,
     * in order.
     */
    @Test
    void mutationsOfAKeyKeepTheirOrderThroughSplits() throws Exception {
        long seed = new Random().nextLong();
        Path data = directory.resolve("data");
        Writers writers;
        try (KvNode node = KvNode.open(config(data))) {
            KvStore store = open(node);
            writers = new Writers(store.client());
            Random random = new Random(seed);
            int done = 0;
            while (writers.areWriting() && done < 8) {
                List<Range> all = store.ranges().all();
                Range range = all.get(random.nextInt(all.size()));
                byte[] at = key(1 + random.nextInt(KEYS - 1));
                long id = range.state().id();
                if (range.state().canSplitAt(at)
                        && split(store, id, range.state().epoch(), at) == ChangeOutcome.DONE) {
                    done++;
                }
                Thread.onSpinWait();
            }
            writers.end();
            assertThat(done).as("splits, seed %d", seed).isEqualTo(8);
            writers.assertAllThereInOrder(store.client(), seed);
        }
        try (KvNode node = KvNode.open(config(data))) {
            writers.assertAllThereInOrder(open(node).client(), seed);
        }
    }

    /** Threads that append letters, each to its own keys, without waiting for answers, until something has happened. */
    static final class Writers {
        private static final int THREADS = 4;
        private static final int MAX_ROUNDS = 20_000;

        final AtomicReference<Throwable> failed = new AtomicReference<>();
        final AtomicBoolean enough = new AtomicBoolean();
        private final int[] rounds = new int[THREADS];
        private final List<Thread> threads = new ArrayList<>();

        Writers(RangeClient client) {
            for (int t = 0; t < THREADS; t++) {
                int own = t;
                threads.add(new Thread(() -> write(client, own)));
            }
            threads.forEach(Thread::start);
        }

        private void write(RangeClient client, int own) {
            List<CompletableFuture<byte[]>> answers = new ArrayList<>();
            int i = 0;
            while (!enough.get() && i < MAX_ROUNDS) {
                for (int k = own; k < KEYS; k += THREADS) {
                    answers.add(append(client, k, letter(i)));
                }
                i++;
                if (i % 5 == 0) {
                    answers.get(answers.size() - 1)
                            .exceptionally(failure -> new byte[0])
                            .join();
                }
            }
            rounds[own] = i;
            answers.forEach(answer -> answer.exceptionally(failure -> {
                        failed.set(failure);
                        return new byte[0];
                    })
                    .join());
        }

        boolean areWriting() {
            return threads.stream().anyMatch(Thread::isAlive);
        }

        void end() throws InterruptedException {
            enough.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        }

        void assertAllThereInOrder(RangeClient client, long seed) throws Exception {
            assertThat(failed).as("seed %d", seed).hasNullValue();
            for (int k = 0; k < KEYS; k++) {
                StringBuilder expected = new StringBuilder();
                for (int i = 0; i < rounds[k % THREADS]; i++) {
                    expected.append(letter(i));
                }
                assertThat(value(client, k)).as("key %d, seed %d", k, seed).isEqualTo(expected.toString());
            }
        }
    }

    private static String letter(int i) {
        return String.valueOf((char) ('a' + i % 26));
    }

    static ChangeOutcome split(KvStore store, long id, long epoch, byte[] key) throws Exception {
        return store.ranges().split(id, epoch, key).get(30, TimeUnit.SECONDS);
    }

    private static void assertAllThere(RangeClient client) throws Exception {
        for (int i = 0; i < KEYS; i++) {
            assertThat(value(client, i)).startsWith("v" + i);
        }
    }

    static KvStore open(KvNode node) throws Exception {
        KvStore store = node.open(new StoreSpec("test", AppendCoprocessor::new, List.of()));
        store.ready().get(30, TimeUnit.SECONDS);
        return store;
    }

    static byte[] key(int i) {
        return "k%05d".formatted(i).getBytes(UTF_8);
    }

    static CompletableFuture<byte[]> append(RangeClient client, int key, String text) {
        return client.mutate(
                key(key), ("k%05d".formatted(key) + "=" + text).getBytes(UTF_8), Deadline.afterMillis(60_000));
    }

    static String value(RangeClient client, int key) throws Exception {
        return new String(
                client.query(key(key), key(key), Deadline.afterMillis(30_000)).get(30, TimeUnit.SECONDS), UTF_8);
    }

    static KvNodeConfig config(Path data) {
        return new KvNodeConfig(data, true, 32 << 20, 16 << 20, RangeSettings.DEFAULT, OptionalLong.of(1));
    }

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> tree = Files.walk(from)) {
            for (Path path : tree.sorted(Comparator.naturalOrder()).toList()) {
                if (!path.endsWith("LOCK")) {
                    Files.copy(path, to.resolve(from.relativize(path)));
                }
            }
        }
    }
}
