package io.godwit.it.cluster;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Clients of packaged brokers that are one cluster; they end with each test. Who starts the brokers also ends them. */
public abstract class ClusterClients {
    /** Set before the tests by who starts it. Classes of tests run one after the other. */
    protected static BrokerCluster cluster;

    protected NodeClients clients;

    @BeforeEach
    protected void begin() {
        clients = new NodeClients(cluster);
    }

    @AfterEach
    protected void endClients() throws Exception {
        clients.close();
    }
}
