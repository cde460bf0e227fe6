package io.godwit.kv;

import static io.godwit.kv.KvCluster.append;
import static io.godwit.kv.KvCluster.await;
import static io.godwit.kv.KvCluster.eventually;
import static io.godwit.kv.KvCluster.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.operate.OperationResult;
import io.godwit.kv.protocol.NodeProtocol;
import io.godwit.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes that support only the messages from before protobuf, and nodes of this build, in one cluster. {@code
 * RollingUpgradeTest}, which is run by hand, does this with an earlier build.
 */
@Tag("slow")
@Timeout(180)
class KvUpgradeTest {
    private static final NodeProtocol OLD = NodeProtocol.BEFORE_PROTOBUF;
    private static final NodeProtocol NEW = NodeProtocol.CURRENT;
    private static final int PER_KEY = 200;

    @TempDir
    Path directory;

    /** Appends numbers to keys of its own, one after the other, through one node. Owns its thread. */
    private static final class Load {
        private final KvCluster cluster;
        private final int node;
        private final Thread thread;
        /** What was acknowledged, in order. Read by the test when the thread has ended. */
        private final List<Integer> acknowledged = new ArrayList<>();

        private final AtomicInteger count = new AtomicInteger();
        private volatile boolean isEnding;

        Load(KvCluster cluster, int node) {
            this.cluster = cluster;
            this.node = node;
            this.thread = new Thread(this::run, "load-" + node);
            thread.start();
        }

        private void run() {
            for (int number = 0; !isEnding; number++) {
                try {
                    append(cluster.client(node), keyOf(number), number + ";").get(40, TimeUnit.SECONDS);
                    acknowledged.add(number);
                    count.incrementAndGet();
                } catch (ExecutionException e) { // lost, or the node is down
                    Await.comesToHold(Duration.ofMillis(50), () -> isEnding);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        }

        private String keyOf(int number) {
            return "load-" + node + "-" + number / PER_KEY;
        }

        void awaitProgress() {
            int before = count.get();
            await("acknowledgements at node " + node, () -> count.get() >= before + 50);
        }

        void end() throws InterruptedException {
            isEnding = true;
            thread.join(60_000);
            assertThat(thread.isAlive()).isFalse();
        }

        /** Everything acknowledged is there, nothing is there twice, and all of it is in the order of the calls. */
        void assertKept(int seenBy) throws Exception {
            List<Integer> kept = new ArrayList<>();
            for (int number = 0; number <= acknowledged.get(acknowledged.size() - 1); number += PER_KEY) {
                String value = read(cluster.client(seenBy), keyOf(number));
                Arrays.stream(value.split(";", -1))
                        .filter(each -> !each.isEmpty())
                        .map(Integer::valueOf)
                        .forEach(kept::add);
            }
            assertThat(kept).isSorted().doesNotHaveDuplicates().containsAll(acknowledged);
        }
    }

    private static int version(KvCluster cluster, int from, int to) {
        return NEW.agreedWith(cluster.node(from).links().cluster().channels().member(cluster.id(to)));
    }

    @Test
    void aClusterIsUpgradedNodeByNodeUnderLoad() throws Exception {
        try (KvCluster cluster = new KvCluster(directory).protocol(OLD)) {
            cluster.startAll();
            cluster.replicate();
            List<Load> loads = List.of(new Load(cluster, 1), new Load(cluster, 2), new Load(cluster, 3));
            loads.forEach(Load::awaitProgress);
            assertThat(version(cluster, 1, 3)).isEqualTo(1);
            cluster.protocol(NEW);
            for (int number : List.of(3, 2, 1)) {
                if (number == 2) {
                    cluster.crash(number);
                } else {
                    cluster.stop(number);
                }
                cluster.start(number);
                cluster.ready();
                int other = number == 1 ? 2 : 1;
                eventually("node " + number + " is seen by " + other, () -> version(cluster, other, number) == 2);
                loads.forEach(Load::awaitProgress);
                cluster.moveLeader(other, number);
                loads.forEach(Load::awaitProgress);
                cluster.moveLeader(number, other);
                loads.forEach(Load::awaitProgress);
            }
            for (Load load : loads) {
                load.end();
            }
            for (Load load : loads) {
                load.assertKept(2);
            }
        }
    }

    @Test
    void aMixedClusterMakesReplicasAndNotesFacts() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.protocol(OLD).start(1);
            cluster.protocol(NEW).start(2);
            cluster.protocol(OLD).start(3);
            cluster.ready();
            append(cluster.client(2), "k", "a").get(30, TimeUnit.SECONDS);
            cluster.replicate();
            cluster.moveLeader(1, 2);
            append(cluster.client(3), "k", "b").get(30, TimeUnit.SECONDS);
            assertThat(read(cluster.client(1), "k")).isEqualTo("ab");

            for (int by : List.of(1, 2)) {
                OperationResult told =
                        cluster.operations(by).wantVoters(4 + by, false).get(30, TimeUnit.SECONDS);
                assertThat(told.isDone()).isTrue();
                assertThat(told.detail()).doesNotContain("not confirmed");
                for (int number : List.of(1, 2, 3)) {
                    assertThat(cluster.operations(number).wantedVoters()).isEqualTo(4 + by);
                }
            }
            for (int by : List.of(1, 2)) {
                int other = by == 1 ? 2 : 3;
                OperationResult marked = cluster.node(by)
                        .operations()
                        .drain(cluster.id(other), true, true)
                        .get(30, TimeUnit.SECONDS);
                assertThat(marked.isDone()).as(marked.detail()).isTrue();
                await(
                        "the drain is reported",
                        () -> cluster.node(by)
                                .operations()
                                .drainStatus(cluster.id(other))
                                .isDraining());
            }
        }
    }
}
