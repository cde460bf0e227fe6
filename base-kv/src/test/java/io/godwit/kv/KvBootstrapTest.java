package io.godwit.kv;

import static io.godwit.kv.KvCluster.append;
import static io.godwit.kv.KvCluster.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.config.ClusterException;
import io.godwit.kv.disk.DataDirectory;
import io.godwit.kv.member.StartProgress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How nodes found a cluster, and whom it keeps out. The tests wait more than they work, and do so side by side. */
@Tag("slow")
@Timeout(120)
class KvBootstrapTest {
    private static final Duration SHORT = Duration.ofSeconds(3);
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    @Test
    @Execution(ExecutionMode.CONCURRENT) // of the class, it would run beside other classes
    @Tag("full")
    void nodeThatFindsNoClusterGivesUpAndLeavesNothing() throws Exception {
        Path data = directory.resolve("lonely");
        try (KvCluster cluster = new KvCluster(directory)) {
            assertThatThrownBy(() -> KvNode.open(cluster.config(2, false, data, SHORT)))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("no cluster to join within 3 s")
                    .hasMessageContaining("seedEndpoints");
            assertThat(DataDirectory.isEmpty(data)).isTrue();
        }
    }

    /** Two of three nodes are enough, and the third comes later, all with the same configuration. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void seedsThatMayAllFoundFoundOneCluster() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            CompletableFuture<KvNode> other = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return cluster.start(2, cluster.together(2, LONG));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    },
                    task -> new Thread(task, "second").start());
            KvNode first = cluster.start(1, cluster.together(1, LONG));
            other.get(60, TimeUnit.SECONDS);
            cluster.start(3, cluster.together(3, LONG));
            cluster.ready();
            assertThat(cluster.node(2).clusterId()).isEqualTo(first.clusterId());
            assertThat(cluster.node(3).clusterId()).isEqualTo(first.clusterId());
            append(cluster.client(3), "k", "a").get(30, TimeUnit.SECONDS);
            assertThat(read(cluster.client(2), "k")).isEqualTo("a");
            // a joining node creates no stores, although it could have
            assertThat(cluster.store(2).ranges().all()).isEmpty();
            assertThat(cluster.store(3).ranges().all()).isEmpty();
            assertThat(cluster.only(3).voters()).containsExactly(cluster.id(1));
        }
    }

    /** It cannot know whether the others have founded a cluster, or have only lost the connection. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    @Tag("full")
    void aSeedThatSeesNoOtherSeedFoundsNothingAndNamesThem() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            List<String> told = new CopyOnWriteArrayList<>();
            StartProgress progress = new StartProgress() {
                @Override
                public void claimed() {
                    told.add("claimed");
                }

                @Override
                public void waitsFor(String cause) {
                    told.add(cause);
                }
            };
            assertThatThrownBy(() -> KvNode.open(cluster.together(1, SHORT), progress))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("no cluster to join within 3 s")
                    .hasMessageContaining("more than half of the seeds")
                    .hasMessageContaining("of 3 seeds it does not see ");
            assertThat(told.get(0)).isEqualTo("claimed");
            assertThat(told.get(told.size() - 1)).contains("more than half of the seeds");
            assertThatThrownBy(() -> KvNode.open(cluster.together(3, SHORT)))
                    .hasMessageContaining("the first of the seeds");
            assertThat(DataDirectory.isEmpty(directory.resolve("node-1"))).isTrue();
        }
    }

    /** A second founder and a node with other data are refused, and their data stays unchanged. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aNodeThatDoesNotBelongIsRefusedAndItsDataStays() throws Exception {
        Path foreign = directory.resolve("foreign");
        Path second = directory.resolve("second");
        try (KvCluster other = new KvCluster(directory)) {
            KvNode node = KvNode.open(other.config(1, true, foreign, SHORT));
            node.open(other.spec());
            node.ready().get(30, TimeUnit.SECONDS);
            node.close();
        }
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.start(1);
            cluster.ready();
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);

            assertThatThrownBy(() -> KvNode.open(cluster.config(2, true, second, SHORT)))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining("foundAlone is true")
                    .hasMessageContaining(cluster.node(1).clusterId());
            assertThat(DataDirectory.isEmpty(second)).isTrue();

            String foreignId;
            try (DataDirectory before = DataDirectory.open(foreign)) {
                foreignId = before.clusterId().toString();
            }
            assertThatThrownBy(() -> KvNode.open(cluster.config(2, true, foreign, SHORT)))
                    .isInstanceOf(ClusterException.class)
                    .hasMessageContaining(foreignId)
                    .hasMessageContaining(cluster.node(1).clusterId());
            try (DataDirectory after = DataDirectory.open(foreign)) {
                assertThat(after.clusterId()).hasToString(foreignId);
            }

            // without bootstrap the empty node is accepted, and may start again while the other is away
            cluster.start(2, cluster.config(2, false, second, SHORT));
            cluster.ready();
            assertThat(cluster.node(2).clusterId()).isEqualTo(cluster.node(1).clusterId());
            assertThat(read(cluster.client(2), "k")).isEqualTo("a");
            cluster.stop(1);
            cluster.stop(2);
            cluster.start(2, cluster.config(2, false, second, SHORT));
            cluster.start(1);
            cluster.ready();
            assertThat(read(cluster.client(2), "k")).isEqualTo("a");
            assertThat(cluster.operations(2).ranges()).hasSize(1);
        }
    }
}
