package io.godwit.it.cluster.tenant;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.ClusterClients;
import io.godwit.it.cluster.ThreeNodes;
import java.io.IOException;

/** Clients of the brokers of {@link TenantsOverNodesTest}, which name their tenants in their user names. */
abstract class TenantClients extends ClusterClients {
    static final int NODES = ThreeNodes.NODES;

    /** A persistent one, not connected. */
    ClientConfig config(int node, String tenant, String id) {
        return clients.config(node, id, 5).withLogin(tenant + "/user", "any");
    }

    /** Connected, with a session that ends with the connection. */
    TestClient clean(int node, String tenant, String id) throws IOException {
        return clients.connected(config(node, tenant, id).withCleanSession());
    }
}
