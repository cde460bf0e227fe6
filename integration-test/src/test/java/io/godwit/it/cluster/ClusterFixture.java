package io.godwit.it.cluster;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Packaged brokers that are one cluster, which a subclass starts before its tests and which end after them, and
 * clients, which end with each test. Classes of tests run one after the other.
 */
public abstract class ClusterFixture {
    @TempDir
    protected static Path directory;

    /** Set by the subclass. */
    protected static BrokerCluster cluster;

    protected NodeClients clients;

    @AfterAll
    protected static void end() throws Exception {
        cluster.close();
    }

    @BeforeEach
    protected void begin() {
        clients = new NodeClients(cluster);
    }

    @AfterEach
    protected void endClients() throws Exception {
        clients.close();
    }
}
