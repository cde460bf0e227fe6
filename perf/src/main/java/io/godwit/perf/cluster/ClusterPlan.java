package io.godwit.perf.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The brokers of a cluster before any of them runs. Immutable.
 *
 * @param environment a name that no other cluster of the machine has
 */
record ClusterPlan(ClusterSettings settings, String environment, List<NodePlan> nodes) {
    private static final int PORTS_EACH = 3;

    ClusterPlan {
        nodes = List.copyOf(nodes);
    }

    /** Ports that a plan for so many nodes takes. */
    static int portsFor(int nodes) {
        return PORTS_EACH * nodes;
    }

    /**
     * @param directory of the cluster; its name becomes part of {@link #environment}
     * @param ports as many as {@link #portsFor} says, all different
     */
    static ClusterPlan of(ClusterSettings settings, Path directory, List<Integer> ports) {
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

    /** What each broker's JVM is started with, as the start script takes it in {@code JVM_OPTS}. */
    String jvmOptions() {
        List<String> options = new ArrayList<>();
        if (settings.nodes() > 1) {
            options.add("-Dinbox_store_replica_voter_count=" + settings.inboxVoters());
        }
        options.addAll(settings.jvmOptions());
        return String.join(" ", options);
    }

    /** What each broker is told of its configuration, by variables of its environment: they have the last word. */
    Map<String, String> variables() {
        Map<String, String> variables = new TreeMap<>();
        settings.configuration().forEach((key, value) -> variables.put(variable(key), value));
        return variables;
    }

    /** {@code GODWIT_MQTT_SERVER_CONFIG_MAX_PACKET_BYTES} for {@code mqttServerConfig.maxPacketBytes}. */
    private static String variable(String key) {
        return "GODWIT_" + key.replaceAll("([A-Z])", "_$1").replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** Its heap, as the start script takes it in {@code JVM_HEAP_OPTS}. */
    String heapOptions() {
        return "-Xmx" + settings.heap();
    }
}
