package io.godwit.it.cluster.tenant;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.cluster.ClusterFixture;
import io.godwit.it.cluster.ThreeNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Three packaged brokers with a file of tenants, which clients name in their user names. */
abstract class TenantsOverNodes extends ClusterFixture {
    static final int NODES = ThreeNodes.NODES;

    /** Makes the brokers, for the subclass to start. */
    static void configure(String tenants) throws IOException {
        cluster = new BrokerCluster(directory, NODES);
        for (int i = 0; i < NODES; i++) {
            Path home = Files.createDirectories(directory.resolve("n" + i));
            Files.writeString(home.resolve("tenants.yml"), tenants);
            cluster.node(i)
                    .setting("tenantConfig", "{sources: user-name, file: tenants.yml}")
                    .setting("authConfig", "{sessionsBelongToUsers: false}");
        }
    }

    /** A persistent one, not connected. */
    ClientConfig config(int node, String tenant, String id) {
        return clients.config(node, id, 5).withLogin(tenant + "/user", "any");
    }

    /** Connected, with a session that ends with the connection. */
    TestClient clean(int node, String tenant, String id) throws IOException {
        return clients.connected(config(node, tenant, id).withCleanSession());
    }
}
