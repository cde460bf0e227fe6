package io.godwit.it.cluster;

import com.google.gson.JsonElement;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.cluster.BrokerCluster.Way;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Brokers with the balancers as they come, but for the time until ranges have voters: after restarts it is not one of
 * them that does all the work.
 */
@Timeout(400)
class LeadersAfterRestartsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    /** Nodes are given nothing for half a minute after they have joined. */
    private static final Duration A_MINUTE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    /** While an operator looks again and again. */
    @Test
    @Tag("full")
    void leadersAreSpreadAgainWithinAMinute() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(directory, 3).votersSoon()) {
            for (BrokerProcess node : cluster.nodes()) {
                node.property("inbox_store_replica_voter_count", 3)
                        .property("retain_store_replica_voter_count", 3)
                        .property("inbox_store_initial_ranges", 2);
            }
            cluster.start();
            cluster.awaitVoters(0, "dist", 1, 3);
            cluster.awaitVoters(0, "inbox", 2, 3);
            cluster.awaitVoters(0, "retain", 1, 3);
            for (BrokerProcess node : cluster.nodes()) {
                node.stop();
                node.launch();
                node.awaitReady(PATIENCE);
            }
            Await.until(
                    "each node to lead something",
                    A_MINUTE,
                    () -> leaders(cluster).values().stream().allMatch(count -> count > 0));
        }
    }

    /** By node. */
    private static Map<String, Integer> leaders(BrokerCluster cluster) throws IOException {
        Map<String, Integer> leaders = new TreeMap<>();
        for (JsonElement each : cluster.done(Way.DATA, 0, "members").getAsJsonArray("nodes")) {
            leaders.put(
                    each.getAsJsonObject().get("storeId").getAsString(),
                    each.getAsJsonObject().get("leaders").getAsInt());
        }
        return leaders;
    }
}
