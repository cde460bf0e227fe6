package io.godwit.it.cluster.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.broker.Ports;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.cluster.BrokerCluster.Way;
import io.godwit.it.cluster.ClientPair;
import io.godwit.it.cluster.NodeClients;
import io.godwit.it.wire.Properties;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three packaged brokers get another version of a plugin's jar, one after the other, while two clients go on. */
@Tag("full")
@Timeout(300)
class RollingPluginUpdateTest {
    private static final int NODES = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String OLD = "1.0.0";
    private static final String NEW = "2.0.0";

    /** Adds its version to each message that a client publishes. */
    private static final String PLUGIN = """
            import io.godwit.plugin.intercept.*;
            import io.godwit.plugin.message.*;
            import java.util.*;
            public class Stamp implements PublishInterceptorFactory {
                @Override public String name() { return "stamp"; }
                @Override public PublishInterceptor create() {
                    return (client, message) -> {
                        List<UserProperty> all = new ArrayList<>(message.properties().userProperties());
                        all.add(new UserProperty("version", "VERSION"));
                        return new Interception.Changed(
                            message.withProperties(message.properties().withUserProperties(all)));
                    };
                }
            }
            """;

    @TempDir
    private Path directory;

    private final List<PluginInstallation> installations = new ArrayList<>();

    private void install(int node, String version) throws IOException {
        installations
                .get(node)
                .jarOfVersion(
                        version,
                        "stamp",
                        "Stamp",
                        PLUGIN.replace("VERSION", version),
                        Map.of("io.godwit.plugin.intercept.PublishInterceptorFactory", List.of("Stamp")));
    }

    @Test
    void nothingIsLostWhileOneNodeAfterTheOtherGetsTheNewJar() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(directory.resolve("brokers"), NODES).votersSoon()) {
            for (int i = 0; i < NODES; i++) {
                installations.add(new PluginInstallation(Files.createDirectory(directory.resolve("program" + i))));
                install(i, OLD);
                cluster.node(i)
                        .installedIn(installations.get(i).path())
                        .property("inbox_store_initial_ranges", NODES)
                        .setting("apiServerConfig", "{port: " + Ports.free().getPort() + ", checkAnswers: true}")
                        .setting("pluginConfig", "{publishInterceptors: [stamp]}");
            }
            cluster.start();
            cluster.awaitVoters(0, "inbox", NODES, NODES);
            cluster.awaitVoters(0, "dist", 1, NODES);
            cluster.awaitVoters(0, "retain", 1, NODES);
            List<InetSocketAddress> addresses =
                    cluster.nodes().stream().map(BrokerProcess::address).toList();
            try (NodeClients clients = new NodeClients(cluster);
                    ClientPair pair = new ClientPair(
                            clients.config(0, "pair-out", 5), clients.config(1, "pair-in", 5), addresses)) {
                pair.start();
                awaitVersions(cluster, 0);
                int subscriberNode = 1;
                for (int i = 0; i < NODES; i++) {
                    assertStamps(clients, i, OLD);
                    cluster.node(i).stop();
                    install(i, NEW);
                    if (i == subscriberNode) {
                        subscriberNode = (i + 1) % NODES;
                        pair.moveSubscriber(addresses.get(subscriberNode));
                    }
                    pair.awaitServed("while node " + i + " is away");
                    cluster.node(i).start();
                    pair.awaitServed("behind the restart of node " + i);
                    awaitVersions(cluster, i + 1);
                    assertStamps(clients, i, NEW);
                }
                assertThat(pair.isSubscriberConnected()).isTrue();
                assertThat(pair.finish()).as("what is wrong with the messages").isEmpty();
            }
        }
    }

    /** Until {@code godwit-admin plugins} shows the new version for so many of the first nodes, else the old one. */
    private static void awaitVersions(BrokerCluster cluster, int newOnes) throws IOException {
        Map<String, String> expected = new TreeMap<>();
        for (int i = 0; i < NODES; i++) {
            expected.put(cluster.id(i), i < newOnes ? NEW : OLD);
        }
        Await looks = Await.atMost(PATIENCE);
        Map<String, String> versions = versions(cluster, newOnes % NODES);
        while (!versions.equals(expected)) {
            Map<String, String> had = versions;
            looks.again(() -> "versions " + expected + ", but there are " + had);
            versions = versions(cluster, newOnes % NODES);
        }
    }

    /** The version of the plugin on each node, as the command says that asks one of them. */
    private static Map<String, String> versions(BrokerCluster cluster, int asked) throws IOException {
        Map<String, String> versions = new TreeMap<>();
        for (JsonElement each : cluster.done(Way.DATA, asked, "plugins").getAsJsonArray("items")) {
            JsonObject item = each.getAsJsonObject();
            if (item.get("name").getAsString().equals("stamp.jar")) {
                versions.put(item.get("node").getAsString(), item.get("version").getAsString());
            }
        }
        return versions;
    }

    /** What a client of this node publishes is marked with the version. */
    private static void assertStamps(NodeClients clients, int node, String version) throws Exception {
        TestClient client = clients.clean(node, "stamps-" + node + '-' + version, 5);
        String topic = "stamps/" + node;
        assertThat(client.subscribe(topic, 1)).isEqualTo(1);
        NodeClients.publish(client, topic, "x", 1);
        assertThat(NodeClients.next(client, topic).properties().entries())
                .contains(new Properties.Entry(Properties.USER_PROPERTY, new Properties.Pair("version", version)));
        client.disconnect();
    }
}
