package io.godwit.kv;

import static io.godwit.kv.KvCluster.append;
import static io.godwit.kv.KvCluster.await;
import static io.godwit.kv.KvCluster.eventually;
import static io.godwit.kv.KvCluster.read;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.kv.operate.StoreOperations.RangeInfo;
import io.godwit.kv.store.RangeDescriptor;
import io.godwit.kv.store.StoreBalance;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.Key;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node applies a split long after the others, whose new range calls it meanwhile. */
@Tag("full")
@Timeout(180)
class SplitLateTest {
    private static final int LATE = 3;
    /** The others call each two seconds; it asks after three, and again after three. */
    private static final Duration CALLED_FOR = Duration.ofSeconds(10);

    private static final String HOLD = "hold";

    @TempDir
    Path directory;

    /** On the late node, completed when it may go on. */
    private final CompletableFuture<Void> goesOn = new CompletableFuture<>();

    /** Waits on the apply thread, like on a disk that hangs. */
    private final class Waiting extends AppendCoprocessor {
        @Override
        public List<byte[]> apply(RangeWrites writes, List<byte[]> mutations, Consumer<Runnable> afterCommit) {
            if (mutations.stream().anyMatch(mutation -> new String(mutation, UTF_8).endsWith(HOLD))) {
                goesOn.join();
            }
            return super.apply(writes, mutations, afterCommit);
        }
    }

    /** Otherwise it would be a voter without data, and would delete the data that it had. */
    @Test
    void itMakesTheRightPartFromItsOwnData() throws Exception {
        try (KvCluster cluster = new KvCluster(directory) {
            @Override
            StoreSpec spec(int number) {
                return number == LATE
                        ? new StoreSpec(STORE, Waiting::new, List.of()).balancedBy(StoreBalance.NONE)
                        : super.spec(number);
            }
        }) {
            try {
                cluster.startAll();
                cluster.replicate();
                cluster.moveLeader(1, 1);
                append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
                append(cluster.client(1), "k", HOLD).get(30, TimeUnit.SECONDS);
                RangeInfo whole = cluster.only(1);
                Split split = new Split(whole.id(), whole.epoch(), Optional.of(Key.of(new byte[] {'g'})), "test");
                assertThat(cluster.carryOut(1, split).isDone()).isTrue();
                await("two ranges", () -> cluster.operations(1).ranges().size() == 2);
                long child = cluster.operations(1).ranges().get(1).id();
                KvCluster.holds("not made empty", CALLED_FOR, () -> descriptor(cluster, child) == null);
            } finally {
                goesOn.complete(null);
            }
            long child = cluster.operations(1).ranges().get(1).id();
            await("made", () -> descriptor(cluster, child) != null);
            RangeDescriptor made = descriptor(cluster, child);
            assertThat(made).isNotNull();
            assertThat(made.joinedEpoch()).as("0 if it was made by the split").isZero();
            eventually("it follows", () -> read(cluster.client(LATE), "k").equals("a" + HOLD));
        }
    }

    private static @Nullable RangeDescriptor descriptor(KvCluster cluster, long rangeId) {
        return cluster.store(LATE).ranges().descriptor(rangeId);
    }
}
