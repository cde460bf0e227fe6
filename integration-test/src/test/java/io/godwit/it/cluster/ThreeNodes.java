package io.godwit.it.cluster;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.cluster.BrokerCluster.RangeLine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three packaged brokers, started for each class of tests, and clients, which end with each test. Each node leads a
 * third of the sessions, and the leaders stay where they are.
 */
abstract class ThreeNodes {
    static final int NODES = 3;
    private static final String ONLY_REPLICAS =
            "{balancers: [replica-count], balanceSettings: replica-count.settleSeconds=1}";

    @TempDir
    private static Path directory;

    static BrokerCluster cluster;
    /** The ranges of the inbox store; node i leads range i. */
    static List<RangeLine> inbox;

    NodeClients clients;

    @BeforeAll
    @Timeout(300)
    static void threeNodesEachLeadAThirdOfTheSessions() throws Exception {
        cluster = new BrokerCluster(directory, NODES);
        for (BrokerProcess node : cluster.nodes()) {
            node.property("inbox_store_replica_voter_count", NODES)
                    .property("inbox_store_initial_ranges", NODES)
                    .setting("topicConfig", "{sysIntervalSeconds: 1}")
                    .setting(
                            "storeConfig",
                            "{dist: " + ONLY_REPLICAS + ", inbox: " + ONLY_REPLICAS + ", retain: " + ONLY_REPLICAS
                                    + "}");
        }
        cluster.start();
        List<RangeLine> led = cluster.awaitVoters(0, "inbox", NODES, NODES);
        List<RangeLine> homes = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            RangeLine range = led.get(i);
            cluster.lead("inbox", range, i);
            homes.add(new RangeLine(
                    range.id(), range.start(), range.end(), cluster.id(i), range.voters(), range.learners()));
        }
        inbox = homes;
        cluster.lead("dist", cluster.awaitVoters(0, "dist", 1, NODES).get(0), 1);
    }

    @AfterAll
    static void end() throws Exception {
        cluster.close();
    }

    @BeforeEach
    void begin() {
        clients = new NodeClients(cluster);
    }

    @AfterEach
    void endClients() throws Exception {
        clients.close();
    }
}
