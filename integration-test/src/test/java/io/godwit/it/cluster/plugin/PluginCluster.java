package io.godwit.it.cluster.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.PluginInstallation;
import io.godwit.it.broker.PluginWitness;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.cluster.BrokerCluster.RangeLine;
import io.godwit.it.cluster.BrokerCluster.Way;
import io.godwit.it.cluster.NodeClients;
import io.godwit.it.cluster.ThreeNodes;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Three packaged brokers with the same jar of plugins; each node leads a third of the sessions. A plugin appends lines
 * to the file {@code notes} in its data directory, and tests read them. Used by one thread at a time.
 */
final class PluginCluster {
    private final BrokerCluster brokers;
    private final Path shared;
    private final List<PluginWitness> witnesses = new ArrayList<>();
    private List<RangeLine> inbox = List.of();

    /**
     * @param directory for all files
     * @param className of the class that {@code source} has, in no package
     * @param services as in {@link PluginInstallation#jar}
     */
    PluginCluster(Path directory, String className, String source, Map<String, List<String>> services)
            throws IOException {
        PluginInstallation installation = new PluginInstallation(Files.createDirectory(directory.resolve("program")));
        installation.jar("all", className, source, services);
        PluginWitness.addListener(installation);
        shared = Files.createDirectory(directory.resolve("shared"));
        brokers = new BrokerCluster(directory.resolve("brokers"), ThreeNodes.NODES);
        for (BrokerProcess node : brokers.nodes()) {
            witnesses.add(new PluginWitness(node));
            node.installedIn(installation.path());
        }
    }

    /**
     * Gives each of these plugins the settings {@code node}, the number of its node, and {@code shared}, the directory
     * that plugins of all nodes read.
     *
     * @param more settings of this node's plugins, as YAML
     */
    void settings(int node, List<String> plugins, String more) {
        String each = "{node: '" + node + "', shared: '" + shared + "'" + more + "}";
        brokers.node(node)
                .setting(
                        "plugins",
                        plugins.stream()
                                .map(plugin -> plugin + ": " + each)
                                .collect(Collectors.joining(", ", "{", "}")));
    }

    void start() throws Exception {
        inbox = ThreeNodes.startWithAThirdEach(brokers);
    }

    BrokerCluster brokers() {
        return brokers;
    }

    /** The ranges of the inbox store; node i leads range i. */
    List<RangeLine> inbox() {
        return inbox;
    }

    /** A client id that begins so, whose session has its home on this node. */
    String clientAt(int home, String stem) {
        return brokers.clientAt(home, inbox, stem);
    }

    /** A file that plugins of all nodes read. */
    Path shared(String name) {
        return shared.resolve(name);
    }

    // --- what plugins note

    /** The lines that a plugin of this node has written. */
    List<String> notes(int node, String plugin) throws IOException {
        Path file = brokers.node(node).data().resolve("plugins/" + plugin + "/notes");
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    void awaitNote(int node, String plugin, String note) throws IOException {
        Await looks = Await.atMost(NodeClients.PATIENCE);
        List<String> notes = notes(node, plugin);
        while (!notes.contains(note)) {
            List<String> had = notes;
            looks.again(() -> "plugin " + plugin + " of node " + node + " notes \"" + note + "\", but has " + had);
            notes = notes(node, plugin);
        }
    }

    // --- what operators read

    /** What the API of one node tells of a plugin of another. */
    JsonObject use(int asked, int node, String plugin) throws IOException {
        return use(witnesses.get(asked).plugins(), node, plugin);
    }

    /**
     * Waits until the events and metrics of one node tell of a fault; those of the other nodes must not. The nodes must
     * have the listener of {@link PluginWitness} in use.
     */
    void awaitToldOnlyBy(int faulty, String plugin, String fault) throws IOException {
        witnesses.get(faulty).awaitTold(plugin, fault);
        for (int node = 0; node < ThreeNodes.NODES; node++) {
            if (node != faulty) {
                assertThat(witnesses.get(node).counted(plugin, fault))
                        .as("faults of %s on node %d: %s", plugin, node, fault)
                        .isZero();
            }
        }
    }

    private JsonObject use(JsonObject answer, int node, String plugin) {
        JsonArray items = answer.getAsJsonArray("items");
        for (JsonElement each : items) {
            JsonObject item = each.getAsJsonObject();
            if (item.get("node").getAsString().equals(brokers.id(node))) {
                for (JsonElement use : item.getAsJsonArray("uses")) {
                    if (use.getAsJsonObject().get("name").getAsString().equals(plugin)) {
                        return use.getAsJsonObject();
                    }
                }
            }
        }
        throw new AssertionError("no plugin " + plugin + " of node " + node + " in " + answer);
    }

    /** Waits until the plugin of one node has so many failures; those of the other nodes must have none. */
    void awaitFailuresOnlyOf(int faulty, String plugin, long least) throws IOException {
        for (int asked = 0; asked < ThreeNodes.NODES; asked++) {
            Await looks = Await.atMost(NodeClients.PATIENCE);
            JsonObject use = use(asked, faulty, plugin);
            while (failures(use) < least) {
                JsonObject had = use;
                looks.again(() -> least + " failures of " + plugin + " on node " + faulty + ", but: " + had);
                use = use(asked, faulty, plugin);
            }
            assertThat(use.get("lastFailure").getAsString()).as("%s", use).isNotEmpty();
            for (int node = 0; node < ThreeNodes.NODES; node++) {
                if (node != faulty) {
                    JsonObject other = use(asked, node, plugin);
                    assertThat(failures(other))
                            .as("failures on node %d, by node %d: %s", node, asked, other)
                            .isZero();
                }
            }
        }
    }

    /** The same at once, as {@code godwit-admin plugins} of the faulty node tells. */
    void assertAdminTellsFailuresOnlyOf(int faulty, String plugin, long least) throws IOException {
        JsonObject answer = brokers.done(Way.DATA, faulty, "plugins");
        for (int node = 0; node < ThreeNodes.NODES; node++) {
            JsonObject use = use(answer, node, plugin);
            assertThat(failures(use) >= least).as("node %d: %s", node, use).isEqualTo(node == faulty);
            assertThat(failures(use) == 0).as("node %d: %s", node, use).isEqualTo(node != faulty);
        }
    }

    private static long failures(JsonObject use) {
        return use.get("failures").getAsLong();
    }
}
