package io.godwit.kv;

import static io.godwit.kv.KvCluster.append;
import static io.godwit.kv.KvCluster.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.store.StoreHealth;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a node reports of its stores while the majority is away, and after it has come back. */
@Tag("slow")
@Timeout(180)
class QuorumLossTest {
    @TempDir
    private Path directory;

    @Test
    @Tag("full")
    void aStoreWithoutItsMajorityDoesNotServeAndNamesWhoIsMissing() throws Exception {
        try (KvCluster cluster = new KvCluster(directory)) {
            cluster.startAll();
            cluster.replicate();
            append(cluster.client(1), "k", "a").get(30, TimeUnit.SECONDS);
            await("serving", () -> health(cluster).state() == StoreHealth.State.SERVING);
            String second = cluster.id(2);
            String third = cluster.id(3);

            cluster.crash(2);
            cluster.crash(3);
            await("not serving", () -> health(cluster).state() == StoreHealth.State.NO_QUORUM);
            await("both are missing", () -> health(cluster).detail().contains("1 of 3 voters, missing "));
            assertThat(health(cluster).detail())
                    .startsWith("test-1: ")
                    .contains("node " + second.substring(0, 8) + " at ")
                    .contains("node " + third.substring(0, 8) + " at ");

            // nodes that this process has never seen are named by their last known address
            cluster.stop(1);
            cluster.start(1);
            await("what it waits for", () -> health(cluster).detail().contains("1 of 3 voters, missing "));
            assertThat(health(cluster).state()).isEqualTo(StoreHealth.State.STARTING);
            assertThat(health(cluster).detail()).contains("node " + second.substring(0, 8) + " at ");

            cluster.start(2);
            await("serving again", () -> health(cluster).state() == StoreHealth.State.SERVING);
        }
    }

    private static StoreHealth health(KvCluster cluster) {
        StoreHealth health = cluster.node(1).health().get(KvCluster.STORE);
        if (health == null) {
            throw new AssertionError("no store " + KvCluster.STORE);
        }
        return health;
    }
}
