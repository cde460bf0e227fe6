package io.godwit.kv;

import static io.godwit.kv.KvCluster.append;
import static io.godwit.kv.KvCluster.await;
import static io.godwit.kv.KvCluster.eventually;
import static io.godwit.kv.KvCluster.read;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.kv.operate.StoreOperations.RangeInfo;
import io.godwit.kv.raft.RaftSettings;
import io.godwit.kv.range.Range;
import io.godwit.kv.store.StoreBalance;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import io.godwit.plugin.balance.BalanceAction.Split;
import io.godwit.plugin.balance.Key;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes of three apply a split long after the first, whose new range calls them meanwhile. */
@Tag("full")
@Timeout(180)
class SplitLateTest {
    private static final List<Integer> LATE = List.of(2, 3);
    private static final String HOLD = "hold";

    @TempDir
    Path directory;

    /** On the late nodes, completed when they may go on. */
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

    /** Otherwise both would be voters without data, which elect nobody. */
    @Test
    void theyMakeTheRightPartAgainFromTheirOwnData() throws Exception {
        try (KvCluster cluster = new KvCluster(directory) {
            @Override
            StoreSpec spec(int number) {
                return LATE.contains(number)
                        ? new StoreSpec(STORE, Waiting::new, List.of()).balancedBy(StoreBalance.NONE)
                        : super.spec(number);
            }
        }.raft(new RaftSettings(2_000, 400, 64L << 20))) {
            long child;
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
                child = cluster.operations(1).ranges().get(1).id();
                for (int late : LATE) {
                    await("made empty", () -> cluster.store(late).ranges().find(child) != null);
                    Range empty = cluster.store(late).ranges().find(child);
                    assertThat(empty).isNotNull();
                    assertThat(empty.lastLogIndex()).isZero();
                }
                assertThat(cluster.store(1).ranges().find(child))
                        .isNotNull()
                        .satisfies(range -> assertThat(range.leading()).isNull());
            } finally {
                goesOn.complete(null);
            }
            eventually("served", () -> read(cluster.client(2), "k").equals("a" + HOLD));
            append(cluster.client(3), "k", "b").get(30, TimeUnit.SECONDS);
            for (int late : LATE) {
                await(
                        "it follows",
                        () -> cluster.store(late).ranges().find(child).lastLogIndex() > 1);
            }
            cluster.crash(1);
            assertThat(read(cluster.client(2), "k")).isEqualTo("a" + HOLD + "b");
        }
    }
}
