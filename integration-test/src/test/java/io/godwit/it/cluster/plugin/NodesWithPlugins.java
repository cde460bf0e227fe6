package io.godwit.it.cluster.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.NodeClients;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

/** Three packaged brokers with {@link PluginsOfAllKinds}, started for each class of tests. */
abstract class NodesWithPlugins extends PluginClusterFixture {
    @BeforeAll
    @Timeout(300)
    static void start() throws Exception {
        use(new PluginCluster(
                directory, PluginsOfAllKinds.CLASS, PluginsOfAllKinds.SOURCE, PluginsOfAllKinds.SERVICES));
        plans("birds 1", "cap 2");
        String settled = "balanceSettings: replica-count.settleSeconds=1";
        for (int i = 0; i < NODES; i++) {
            nodes.settings(i, PluginsOfAllKinds.NAMES, "");
            nodes.brokers()
                    .node(i)
                    .setting("authConfig", "{providers: [gate, rest], sessionsBelongToUsers: false}")
                    .setting(
                            "pluginConfig",
                            "{eventListeners: [ear], publishInterceptors: [mark], deliverInterceptors: [stamp], "
                                    + "userProperties: [tag]}")
                    .setting("tenantConfig", TENANT_CONFIG)
                    .setting("redirectConfig", "{balancer: roam, serverReference: '" + reference(i) + "'}")
                    .setting("subBrokerConfig", "{plugins: sink}")
                    .setting(
                            "storeConfig",
                            "{dist: {balancers: [replica-count], " + settled
                                    + "}, inbox: {balancers: [replica-count, highest], splitHinter: hint, " + settled
                                    + "}, retain: {balancers: [replica-count, highest], " + settled + "}}");
        }
        nodes.start();
    }

    /** What the provider of tenants' settings says from now on, on all nodes. */
    static void plans(String... lines) throws IOException {
        Path next = Files.writeString(nodes.shared("plans.next"), String.join("\n", lines));
        Files.move(next, nodes.shared("plans"), StandardCopyOption.ATOMIC_MOVE);
    }

    static String reference(int node) {
        return "127.0.0.1:" + nodes.brokers().node(node).address().getPort();
    }

    ClientConfig config(int node, String id, String user) {
        return clients.config(node, id, 5).withCleanSession().withLogin(user, "any");
    }

    /** The code of the CONNACK for a client that does not stay. */
    int answer(int node, String user) throws IOException {
        TestClient client = clients.unconnected(config(node, "visitor", user));
        int code = client.connect().code();
        client.disconnect();
        return code;
    }

    /** A subscriber that is connected to one node, with its session on another. */
    TestClient stored(int node, int home, String stem, String topic) throws IOException {
        TestClient client = clients.persistent(node, nodes.clientAt(home, stem), 5);
        assertThat(client.subscribe(topic, 2)).as(topic).isEqualTo(2);
        return client;
    }

    static int code(TestClient publisher, String topic) throws Exception {
        return NodeClients.code(publisher.publish(topic, "x", 1), topic);
    }
}
