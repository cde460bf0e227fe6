package io.godwit.perf.rows;

import io.godwit.perf.cluster.BrokerCluster;
import io.godwit.perf.cluster.ClusterFailedException;
import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.load.LoadRun;
import io.godwit.perf.load.Preflight;
import io.godwit.perf.load.Reconnect;
import io.godwit.perf.load.RunResult;
import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.Endpoint;
import io.godwit.perf.load.client.LoadSettings;
import io.godwit.perf.load.client.Placement;
import io.godwit.perf.scenario.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Measures how long clients are without service when their node dies: all clients are on node 2, which is killed, and
 * they connect to the other nodes and subscribe again as fast as these answer. In the warm-up a part of the clients
 * connects to all nodes and disconnects again, in rounds; no node is killed in it. Afterwards the cluster lacks node 2.
 * Used by one thread.
 */
final class KilledNode {
    private static final int NODE = 2;
    private static final int CONNECTING = 500;
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final Duration HELD = Duration.ofMillis(500);
    /** The part of the clients that a round of the warm-up has. */
    private static final double PART = 0.2;

    private final BrokerCluster cluster;
    private final LoadTimes times;
    private final int loops;

    /** @param loops event loops of this tool */
    KilledNode(BrokerCluster cluster, LoadTimes times, int loops) {
        this.cluster = cluster;
        this.times = times;
        this.loops = loops;
    }

    /** @param scenario its subscribers are the clients of the node */
    Figures run(Scenario scenario) throws LoadFailedException, ClusterFailedException, InterruptedException {
        List<Endpoint> others = new ArrayList<>(cluster.endpoints());
        ClientSettings home = ClientSettings.plain(List.of(others.remove(NODE - 1)), Placement.ACROSS);
        List<String> obstacles = Preflight.obstacles(scenario, home);
        if (!obstacles.isEmpty()) {
            throw new LoadFailedException(String.join("; ", obstacles));
        }
        LoadSettings settings = new LoadSettings(
                Duration.ZERO, HELD, Duration.ZERO, 1, CONNECTING, CONNECTING, loops, false, Duration.ZERO);
        List<String> cautions = new ArrayList<>(new WarmUp(times)
                .run(scenario.scaled(PART), part -> WarmUp.troubles(connectEverywhere(part, settings))));
        double usual = connectEverywhere(scenario, settings).connectRate();
        try (Reconnect clients =
                new Reconnect(scenario, settings, home, ClientSettings.plain(others, Placement.ACROSS))) {
            clients.open();
            // The nodes still pass on what the clients have subscribed to, and handle the connections closed before.
            Calm.await(cluster.pids()).ifPresent(cautions::add);
            List<Long> survivors = new ArrayList<>(cluster.pids());
            survivors.remove(NODE - 1);
            Machine machine = new Machine(survivors);
            clients.losing();
            cluster.kill(NODE);
            Reconnect.Outage outage = clients.awaitAllBack(LONGEST);
            Map<Value, Double> values = new EnumMap<>(machine.seconds());
            cautions.addAll(machine.cautions());
            outage.bottlenecks().forEach(reason -> cautions.add("the tool is the bottleneck: " + reason));
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
     * Has clients connect to all nodes and subscribe, as fast as these answer, and disconnect again. The rate of the
     * same number of clients as are measured is what the nodes can do while none has failed.
     */
    private RunResult connectEverywhere(Scenario scenario, LoadSettings settings)
            throws LoadFailedException, InterruptedException {
        ClientSettings everywhere = ClientSettings.plain(cluster.endpoints(), Placement.ACROSS);
        return new LoadRun(scenario, 1, scenario, settings, everywhere, null, Optional.empty(), progress -> {}).run();
    }
}
