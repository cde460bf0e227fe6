package io.godwit.it.conformance;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.cluster.BrokerCluster.RangeLine;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Three brokers that are one cluster, for all tests over {@link Transport#NODES}: started before the first of them and
 * ended after the last. Their settings are the defaults, but that each node leads a third of the sessions and that no
 * balancer moves leaders.
 */
final class SharedCluster implements Closeable {
    private static final int NODES = 3;
    private static final String ONLY_REPLICAS =
            "{balancers: [replica-count], balanceSettings: replica-count.settleSeconds=1}";

    private final Path home;
    private final BrokerCluster cluster;

    /** Starts it. */
    SharedCluster() {
        try {
            home = Files.createTempDirectory("conformance-nodes");
            cluster = new BrokerCluster(home, NODES);
            start();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void start() throws IOException {
        for (BrokerProcess node : cluster.nodes()) {
            node.property("inbox_store_initial_ranges", NODES)
                    .setting(
                            "storeConfig",
                            "{dist: " + ONLY_REPLICAS + ", inbox: " + ONLY_REPLICAS + ", retain: " + ONLY_REPLICAS
                                    + "}");
        }
        try {
            cluster.start();
            List<RangeLine> inbox = cluster.awaitVoters(0, "inbox", NODES, NODES);
            for (int i = 0; i < NODES; i++) {
                cluster.lead("inbox", inbox.get(i), i);
            }
            cluster.awaitVoters(0, "dist", 1, NODES);
            cluster.awaitVoters(0, "retain", 1, NODES);
        } catch (IOException | RuntimeException | AssertionError e) {
            close();
            throw e;
        }
    }

    List<InetSocketAddress> addresses() {
        return cluster.nodes().stream().map(BrokerProcess::address).toList();
    }

    @Override
    public void close() throws IOException {
        cluster.close();
        SharedBroker.delete(home);
    }
}
