package io.godwit.kv;

import static io.godwit.kv.KvCluster.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.balance.BalanceLoopConfig;
import io.godwit.kv.balance.policy.BalancePlan;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeClient;
import io.godwit.kv.operate.StoreOperations;
import io.godwit.kv.range.replica.RangeSettings;
import io.godwit.kv.store.StoreBalance;
import io.godwit.kv.store.StoreSpec;
import io.godwit.kv.testing.AppendCoprocessor;
import io.godwit.plugin.balance.ReplicaGoal;
import io.godwit.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The load of clients is measured, leads to a hint, appears in the view and is acted on, by the shipped balancers of a
 * single node.
 */
@Tag("full")
@Timeout(150)
class LoadBalanceTest {
    private static final int KEYS = 1_000;
    private static final BalanceLoopConfig QUICK = new BalanceLoopConfig(
            Duration.ofMillis(200),
            Duration.ofSeconds(20),
            Duration.ofSeconds(5),
            Duration.ofMillis(500),
            Duration.ofSeconds(2),
            3);

    @TempDir
    Path data;

    /** The range is split once under load, stays so as long as there is load, and is merged again without it. */
    @Test
    void aRangeIsCutByItsLoadAndJoinedAgainWithoutIt() throws Exception {
        try (KvNode node = KvNode.open(config())) {
            KvStore store = open(node);
            try (Load load = new Load(store.client())) {
                eventually("cut in two", () -> ranges(node).size() == 2);
                byte[] cut = ranges(node).get(1).start();
                assertThat(new String(cut, UTF_8)).isBetween(key(KEYS / 5), key(KEYS * 4 / 5));
                Await.holds("longer than it takes to join what is idle", Duration.ofSeconds(4), () -> {
                    load.check();
                    return ranges(node).size() == 2;
                });
            }
        }
        // a peak is remembered for ten minutes, but not by the next leader
        try (KvNode node = KvNode.open(config())) {
            KvStore store = open(node);
            eventually("joined", () -> ranges(node).size() == 1);
            assertThat(store.client()
                            .query(key(7).getBytes(UTF_8), key(7).getBytes(UTF_8), Deadline.afterMillis(10_000))
                            .get(10, TimeUnit.SECONDS))
                    .isEqualTo("7".getBytes(UTF_8));
        }
    }

    private KvNodeConfig config() {
        return new KvNodeConfig(data, true, 32 << 20, 16 << 20, RangeSettings.DEFAULT, OptionalLong.of(1));
    }

    private static KvStore open(KvNode node) throws Exception {
        int cores = Runtime.getRuntime().availableProcessors();
        Map<String, String> settings = Map.of(
                "maxIoDensity", "0.05", // 50 in a second
                "ioNanosLimit", "1000000000", // however slow the machine is
                "maxRangesPerCore", String.valueOf(1.5 / cores), // so two at most
                "maxCpuLoad", "1",
                "restSeconds", "1",
                "settleSeconds", "1");
        StoreBalance balance = new StoreBalance(new ReplicaGoal(1, false), BalancePlan.shipped(settings), QUICK);
        KvStore store = node.open(new StoreSpec("test", AppendCoprocessor::new, List.of()).balancedBy(balance));
        node.ready().get(30, TimeUnit.SECONDS);
        return store;
    }

    private static List<StoreOperations.RangeInfo> ranges(KvNode node) {
        return node.operations().store("test").orElseThrow().ranges();
    }

    private static String key(int number) {
        return String.format("k%04d", number);
    }

    /** Writes each key once, and then reads one after the other, until it is closed. */
    private static final class Load implements AutoCloseable {
        private final RangeClient client;
        private final Thread thread = new Thread(this::run, "load");
        private volatile boolean isOver;
        private volatile Throwable failure;

        Load(RangeClient client) throws Exception {
            this.client = client;
            for (int i = 0; i < KEYS; i++) {
                KvCluster.append(client, key(i), String.valueOf(i)).get(10, TimeUnit.SECONDS);
            }
            thread.start();
        }

        private void run() {
            try {
                for (int i = 0; !isOver; i = (i + 7) % KEYS) {
                    byte[] key = key(i).getBytes(UTF_8);
                    byte[] value =
                            client.query(key, key, Deadline.afterMillis(10_000)).get(10, TimeUnit.SECONDS);
                    if (!new String(value, UTF_8).equals(String.valueOf(i))) {
                        throw new AssertionError(key(i) + " is " + new String(value, UTF_8));
                    }
                }
            } catch (InterruptedException | ExecutionException | TimeoutException | AssertionError e) {
                failure = e;
            }
        }

        void check() {
            assertThat(failure).isNull();
        }

        @Override
        public void close() {
            isOver = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            check();
        }
    }
}
