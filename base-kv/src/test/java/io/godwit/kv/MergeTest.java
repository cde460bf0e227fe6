package io.godwit.kv;

import static io.godwit.kv.SplitTest.KEYS;
import static io.godwit.kv.SplitTest.append;
import static io.godwit.kv.SplitTest.config;
import static io.godwit.kv.SplitTest.copy;
import static io.godwit.kv.SplitTest.key;
import static io.godwit.kv.SplitTest.open;
import static io.godwit.kv.SplitTest.split;
import static io.godwit.kv.SplitTest.value;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.range.Range;
import io.godwit.kv.range.change.ChangeOutcome;
import io.godwit.kv.range.state.RangeCommand;
import io.godwit.kv.range.state.RangeState;
import io.godwit.kv.store.RangeDescriptor;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import io.godwit.testing.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Ranges are merged again on a single node. The tests wait more than they work, and do so side by side; most wait for
 * the files of ended ranges to be deleted.
 */
@Tag("slow")
@Timeout(120)
class MergeTest {
    @TempDir
    Path directory;

    @Test
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    void theLeftOneHasAllKeysAndTheRightOneIsGoneAlsoAfterARestart() throws Exception {
        Path data = directory.resolve("data");
        try (KvNode node = KvNode.open(config(data))) {
            KvStore store = filled(node);
            split(store, 1, 1, key(20));
            List<Range> parts = parts(store);
            assertThat(merge(store, parts.get(0), parts.get(1))).isEqualTo(ChangeOutcome.DONE);
            assertThat(store.client().rangeKeys(new byte[0], null)).hasSize(1);
            append(store.client(), 40, "+").join();
            assertThat(value(store.client(), 40)).isEqualTo("v40+");
        }
        for (int round = 0; round < 2; round++) {
            try (KvNode node = KvNode.open(config(data))) {
                KvStore store = open(node);
                assertThat(store.client().rangeKeys(new byte[0], null)).hasSize(1);
                for (int i = 0; i < KEYS; i++) {
                    assertThat(value(store.client(), i)).isEqualTo("v" + i + (i == 40 ? "+" : ""));
                }
            }
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    @Tag("full")
    void aMergedRangeIsRecordedAsEndedAndItsFilesAreDeleted() throws Exception {
        Path data = directory.resolve("data");
        try (KvNode node = KvNode.open(config(data))) {
            KvStore store = filled(node);
            split(store, 1, 1, key(20));
            List<Range> parts = parts(store);
            Path files = data.resolve("test/range-" + parts.get(1).state().id());
            assertThat(files).exists();
            assertThat(merge(store, parts.get(0), parts.get(1))).isEqualTo(ChangeOutcome.DONE);
            awaitBurials(store, data);
            assertThat(files).doesNotExist();
            assertThat(store.ranges().all()).hasSize(1);
            assertThat(value(store.client(), 40)).isEqualTo("v40");
        }
    }

    /** A member that does not know of the end asks for a replica, perhaps while the files are being deleted. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    @Tag("full")
    void anEndedRangeIsNotMergedAgain() throws Exception {
        Path data = directory.resolve("data");
        RangeDescriptor ended;
        try (KvNode node = KvNode.open(config(data))) {
            KvStore store = filled(node);
            split(store, 1, 1, key(20));
            List<Range> parts = parts(store);
            long id = parts.get(1).state().id();
            ended = Objects.requireNonNull(store.ranges().descriptor(id)).joinedAt(1_000);
            assertThat(merge(store, parts.get(0), parts.get(1))).isEqualTo(ChangeOutcome.DONE);
            awaitBurials(store, data);
            assertThatThrownBy(() -> store.ranges().join(ended)).hasMessageContaining("has ended");
            assertThat(data.resolve("test/range-" + id)).doesNotExist();
        }
        try (KvNode node = KvNode.open(config(data))) {
            KvStore store = open(node);
            assertThatThrownBy(() -> store.ranges().join(ended)).hasMessageContaining("has ended");
            assertThat(store.ranges().all()).hasSize(1);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void rangesThatAreNoNeighboursOrOfOtherEpochsStayAsTheyAre() throws Exception {
        try (KvNode node = KvNode.open(config(directory.resolve("data")))) {
            KvStore store = filled(node);
            split(store, 1, 1, key(20));
            split(store, 1, 2, key(10));
            List<Range> parts = parts(store);
            assertThat(merge(store, parts.get(0), parts.get(2))).isEqualTo(ChangeOutcome.STALE);
            assertThat(merge(store, parts.get(1), parts.get(0))).isEqualTo(ChangeOutcome.STALE);
            RangeState left = parts.get(0).state();
            RangeState right = parts.get(1).state();
            assertThat(store.ranges()
                            .merge(left.id(), left.epoch(), right.id(), right.epoch() + 1)
                            .get(30, TimeUnit.SECONDS))
                    .isEqualTo(ChangeOutcome.STALE);
            assertThat(value(store.client(), 15)).isEqualTo("v15");
        }
    }

    /** The merging node stops midway: after the next start the left range gives up, and the right one serves again. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aMergeThatWasNotFinishedIsGivenUp() throws Exception {
        Path data = directory.resolve("data");
        try (KvNode node = KvNode.open(config(data))) {
            KvStore store = filled(node);
            split(store, 1, 1, key(20));
            Range left = parts(store).get(0);
            Range right = parts(store).get(1);
            RangeState rightState = right.state();
            long leftEpoch = left.state().epoch();
            assertThat(done(left.change(new RangeCommand.Absorb(
                            leftEpoch,
                            rightState.id(),
                            rightState.epoch(),
                            rightState.bounds().end()))))
                    .isTrue();
            assertThat(done(right.change(new RangeCommand.Yield(
                            rightState.epoch(), left.state().id()))))
                    .isTrue();
            assertThat(done(left.change(new RangeCommand.Copy(
                            leftEpoch,
                            rightState.id(),
                            List.of(new RangeCommand.Entry(key(40), "half".getBytes(UTF_8)))))))
                    .isTrue();
        }
        try (KvNode node = KvNode.open(config(data))) {
            KvStore store = node.open(new StoreSpec("test", AppendCoprocessor::new, List.of()));
            assertThat(value(store.client(), 5)).isEqualTo("v5");
            assertThat(value(store.client(), 40)).isEqualTo("v40");
            append(store.client(), 40, "+").get(30, TimeUnit.SECONDS);
            assertThat(parts(store)).hasSize(2).allMatch(range -> range.state().isSettled());
            List<Range> parts = parts(store);
            assertThat(merge(store, parts.get(0), parts.get(1))).isEqualTo(ChangeOutcome.DONE);
            assertThat(value(store.client(), 40)).isEqualTo("v40+");
        }
    }

    /**
     * As {@link SplitTest#mutationsOfAKeyKeepTheirOrderThroughSplits}, with merges between the splits, and a crash at
     * the end.
     */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void mutationsOfAKeyKeepTheirOrderThroughSplitsAndMerges() throws Exception {
        long seed = new Random().nextLong();
        Path data = directory.resolve("data");
        Path copy = directory.resolve("copy");
        SplitTest.Writers writers;
        try (KvNode node = KvNode.open(config(data))) {
            KvStore store = open(node);
            writers = new SplitTest.Writers(store.client());
            Random random = new Random(seed);
            int splits = 0;
            int merges = 0;
            while (writers.areWriting() && merges < 6) {
                List<Range> parts = parts(store);
                int at = random.nextInt(parts.size());
                RangeState range = parts.get(at).state();
                byte[] cut = key(1 + random.nextInt(KEYS - 1));
                if (parts.size() < 4 && range.canSplitAt(cut)) {
                    splits += split(store, range.id(), range.epoch(), cut) == ChangeOutcome.DONE ? 1 : 0;
                } else if (parts.size() > 1 && at + 1 < parts.size()) {
                    merges += merge(store, parts.get(at), parts.get(at + 1)) == ChangeOutcome.DONE ? 1 : 0;
                }
            }
            writers.end();
            assertThat(merges).as("merges, seed %d", seed).isEqualTo(6);
            assertThat(splits).as("splits, seed %d", seed).isGreaterThan(2);
            writers.assertAllThereInOrder(store.client(), seed);
            awaitBurials(store, data);
            copy(data, copy);
        }
        try (KvNode node = KvNode.open(config(copy))) {
            writers.assertAllThereInOrder(open(node).client(), seed);
        }
    }

    private static boolean done(CompletableFuture<ChangeOutcome> change) throws Exception {
        return change.get(30, TimeUnit.SECONDS) == ChangeOutcome.DONE;
    }

    private static ChangeOutcome merge(KvStore store, Range left, Range right) throws Exception {
        RangeState leftState = left.state();
        RangeState rightState = right.state();
        return store.ranges()
                .merge(leftState.id(), leftState.epoch(), rightState.id(), rightState.epoch())
                .get(30, TimeUnit.SECONDS);
    }

    /** Waits until nothing is left of ranges that have ended. */
    private static void awaitBurials(KvStore store, Path data) {
        int wanted = parts(store).size();
        Await.until("files of " + wanted + " ranges alone", () -> namesIn(data.resolve("test")).length == wanted);
    }

    private static String[] namesIn(Path directory) {
        return Objects.requireNonNull(directory.toFile().list());
    }

    /** The ranges in key order, without those that have ended; all have a leader. */
    private static List<Range> parts(KvStore store) {
        List<Range> parts = new ArrayList<>(store.ranges().all());
        parts.removeIf(range -> range.state().phase() instanceof RangeState.Retired);
        parts.forEach(range -> range.ready().join());
        parts.sort(Comparator.comparing(range -> range.state().bounds().start(), Arrays::compareUnsigned));
        return parts;
    }

    private static KvStore filled(KvNode node) throws Exception {
        KvStore store = open(node);
        for (int i = 0; i < KEYS; i++) {
            append(store.client(), i, "v" + i).join();
        }
        return store;
    }
}
