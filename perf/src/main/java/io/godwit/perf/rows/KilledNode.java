package io.godwit.perf.rows;

import io.godwit.perf.cluster.BrokerCluster;
import io.godwit.perf.cluster.ClusterFailedException;
import io.godwit.perf.load.ClientSettings;
import io.godwit.perf.load.Endpoint;
import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.load.LoadRun;
import io.godwit.perf.load.LoadSettings;
import io.godwit.perf.load.Placement;
import io.godwit.perf.load.Preflight;
import io.godwit.perf.load.Reconnect;
import io.godwit.perf.load.RunResult;
import io.godwit.perf.scenario.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Measures how long clients are without service when their node dies: all clients are on node 2, which is killed, and
 * they connect to the other nodes and subscribe again as fast as these answer. Afterwards the cluster lacks that node.
 * Used by one thread.
 */
final class KilledNode {
    private static final int NODE = 2;
    private static final int CONNECTING = 500;
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final Duration HELD = Duration.ofMillis(500);

    private final BrokerCluster cluster;

    KilledNode(BrokerCluster cluster) {
        this.cluster = cluster;
    }

    /** @param scenario its subscribers are the clients of the node */
    Figures run(Scenario scenario) throws LoadFailedException, ClusterFailedException, InterruptedException {
        List<Endpoint> others = new ArrayList<>(cluster.endpoints());
        ClientSettings home = ClientSettings.plain(List.of(others.remove(NODE - 1)), Placement.ACROSS);
        List<String> obstacles = Preflight.obstacles(scenario, home);
        if (!obstacles.isEmpty()) {
            throw new LoadFailedException(String.join("; ", obstacles));
        }
        int loops = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        LoadSettings settings = new LoadSettings(
                Duration.ZERO, HELD, Duration.ZERO, 1, CONNECTING, CONNECTING, loops, false, Duration.ZERO);
        double usual = usualRate(scenario, settings);
        try (Reconnect clients =
                new Reconnect(scenario, settings, home, ClientSettings.plain(others, Placement.ACROSS))) {
            clients.open();
            List<Long> survivors = new ArrayList<>(cluster.pids());
            survivors.remove(NODE - 1);
            Machine machine = new Machine(survivors);
            clients.losing();
            cluster.kill(NODE);
            Reconnect.Outage outage = clients.awaitAllBack(LONGEST);
            Map<Value, Double> values = new EnumMap<>(machine.seconds());
            List<String> cautions = machine.cautions();
            if (outage.refused() > 0) {
                cautions.add("%,d attempts to connect failed meanwhile".formatted(outage.refused()));
            }
            values.put(Value.CONNECTS, usual);
            values.put(Value.FIRST_SERVED, outage.firstSeconds());
            values.put(Value.HALF_SERVED, outage.medianSeconds());
            values.put(Value.ALL_SERVED, outage.lastSeconds());
            return new Figures(values, 0, cautions);
        }
    }

    /**
     * Connections per second, including their subscriptions, when the same number of clients connects to all nodes
     * while none has failed. The clients disconnect again. This also has the nodes' code compiled.
     */
    private double usualRate(Scenario scenario, LoadSettings settings)
            throws LoadFailedException, InterruptedException {
        ClientSettings everywhere = ClientSettings.plain(cluster.endpoints(), Placement.ACROSS);
        RunResult result =
                new LoadRun(scenario, 1, scenario, settings, everywhere, null, Optional.empty(), progress -> {}).run();
        return result.connectRate();
    }
}
