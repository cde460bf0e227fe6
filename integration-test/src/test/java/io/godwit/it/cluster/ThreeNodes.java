package io.godwit.it.cluster;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.cluster.BrokerCluster.RangeLine;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

/**
 * Three packaged brokers, started for each class of tests, and clients, which end with each test. Each node leads a
 * third of the sessions, and the leaders stay where they are.
 */
public abstract class ThreeNodes extends ClusterFixture {
    public static final int NODES = 3;

    private static final String ONLY_REPLICAS =
            "{balancers: [replica-count], balanceSettings: replica-count.settleSeconds=1}";
    /** The value of {@code storeConfig} with which no balancer moves a leader. */
    public static final String STORES_THAT_KEEP_LEADERS =
            "{dist: " + ONLY_REPLICAS + ", inbox: " + ONLY_REPLICAS + ", retain: " + ONLY_REPLICAS + "}";

    /** The ranges of the inbox store; node i leads range i. */
    static List<RangeLine> inbox;

    @BeforeAll
    @Timeout(300)
    static void threeNodesEachLeadAThirdOfTheSessions() throws Exception {
        cluster = new BrokerCluster(directory, NODES);
        for (BrokerProcess node : cluster.nodes()) {
            node.setting("topicConfig", "{sysIntervalSeconds: 1, exclusiveSubscriptions: true}")
                    .setting("storeConfig", STORES_THAT_KEEP_LEADERS);
        }
        inbox = startWithAThirdEach(cluster);
    }

    /**
     * Starts brokers whose balancers move no leader of the inbox store and of the routes. Then node i leads range i of
     * the inbox store; the ranges are returned.
     */
    public static List<RangeLine> startWithAThirdEach(BrokerCluster started) throws Exception {
        for (BrokerProcess node : started.nodes()) {
            node.property("inbox_store_replica_voter_count", NODES).property("inbox_store_initial_ranges", NODES);
        }
        started.start();
        List<RangeLine> led = started.awaitVoters(0, "inbox", NODES, NODES);
        List<RangeLine> homes = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            started.lead("inbox", led.get(i), i);
            homes.add(ledBy(started.id(i), led.get(i)));
        }
        started.lead("dist", started.awaitVoters(0, "dist", 1, NODES).get(0), 1);
        return homes;
    }

    /** The same range under another leader. */
    public static RangeLine ledBy(String leader, RangeLine range) {
        return new RangeLine(range.id(), range.start(), range.end(), leader, range.voters(), range.learners());
    }
}
