package io.godwit.it.cluster;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three packaged brokers with plugins, which a subclass starts before its tests, and clients, which end with each test.
 */
abstract class PluginClusterFixture {
    static final int NODES = ThreeNodes.NODES;
    /** Tenants are in user names, and the plugins {@code plans} and {@code caps} decide about them. */
    static final String TENANT_CONFIG =
            "{sources: user-name, unknown: accept, settingsProvider: plans, resourceThrottler: caps}";

    @TempDir
    static Path directory;

    /** Set by the subclass. */
    static PluginCluster nodes;

    NodeClients clients;

    @AfterAll
    static void end() throws Exception {
        nodes.close();
    }

    @BeforeEach
    void begin() {
        clients = new NodeClients(nodes.brokers());
    }

    @AfterEach
    void endClients() throws Exception {
        clients.close();
    }
}
