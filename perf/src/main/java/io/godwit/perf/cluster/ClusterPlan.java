package io.godwit.perf.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The brokers of a cluster as planned before the start. Immutable.
 *
 * @param environment a name that no other cluster on the machine has
 */
record ClusterPlan(ClusterSetup settings, String environment, List<NodePlan> nodes) {
    private static final int PORTS_EACH = 3;

    ClusterPlan {
        nodes = List.copyOf(nodes);
    }

    /** The number of ports that a plan for {@code nodes} takes. */
    static int portsFor(int nodes) {
        return PORTS_EACH * nodes;
    }

    /**
     * @param directory of the cluster; its name becomes {@link #environment}
     * @param ports all different; their number is {@link #portsFor}
     */
    static ClusterPlan of(ClusterSetup settings, Path directory, List<Integer> ports) {
        if (ports.size() != portsFor(settings.nodes())) {
            throw new IllegalArgumentException(
                    settings.nodes() + " nodes take " + portsFor(settings.nodes()) + " ports, got " + ports);
        }
        List<NodePlan> nodes = new ArrayList<>();
        for (int i = 0; i < settings.nodes(); i++) {
            int first = i * PORTS_EACH;
            nodes.add(new NodePlan(
                    i + 1,
                    ports.get(first),
                    ports.get(first + 1),
                    ports.get(first + 2),
                    directory.resolve("n" + (i + 1))));
        }
        return new ClusterPlan(settings, directory.getFileName().toString(), nodes);
    }

    /** The options of each broker's JVM, in the form of the start script's {@code JVM_OPTS}. */
    String jvmOptions() {
        List<String> options = new ArrayList<>();
        if (settings.nodes() > 1) {
            options.add("-Dinbox_store_replica_voter_count=" + settings.inboxVoters());
        }
        options.addAll(settings.jvmOptions());
        return String.join(" ", options);
    }

    /** Environment variables with each broker's configuration, which take precedence over its file. */
    Map<String, String> variables() {
        Map<String, String> variables = new TreeMap<>();
        settings.configuration().forEach((key, value) -> variables.put(variable(key), value));
        return variables;
    }

    /** {@code GODWIT_MQTT_SERVER_CONFIG_MAX_PACKET_BYTES} for {@code mqttServerConfig.maxPacketBytes}. */
    private static String variable(String key) {
        return "GODWIT_" + key.replaceAll("([A-Z])", "_$1").replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** The option for each broker's heap, in the form of the start script's {@code JVM_HEAP_OPTS}. */
    String heapOptions() {
        return "-Xmx" + settings.heap();
    }
}
