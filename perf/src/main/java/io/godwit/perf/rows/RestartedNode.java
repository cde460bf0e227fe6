package io.godwit.perf.rows;

import io.godwit.perf.cluster.BrokerCluster;
import io.godwit.perf.cluster.ClusterFailedException;
import io.godwit.perf.cluster.Rejoin;
import io.godwit.perf.load.Canary;
import io.godwit.perf.load.HeldFilters;
import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.Endpoint;
import io.godwit.perf.load.client.Placement;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long a node takes to learn the filters of live sessions of another one, and how this affects the others.
 * Clients of node 1 hold the filters. Node 2 is killed, and restarted after the others have gone on without it; it has
 * to know all filters before it serves. The process is killed, as a link that is only interrupted resumes without
 * sending the filters again. Meanwhile a client of node 1 receives messages from one of the last node. Used by one
 * thread.
 */
final class RestartedNode {
    private static final int HOLDER = 1;
    private static final int NODE = 2;
    /** The number of filters for which it is checked afterwards that the node knows them. */
    private static final int LOOKED_AT = 1_000;

    private static final Duration LONGEST = Duration.ofMinutes(2);
    /** Time after which the others have gone on without a killed node, for which they need three seconds at most. */
    private static final Duration GONE = Duration.ofSeconds(5);

    /** The shortest time for the first messages of a cluster, which are slow. */
    private static final Duration SHORTEST_WARM_UP = Duration.ofSeconds(5);

    private static final Duration BEFORE = Duration.ofSeconds(5);
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private final BrokerCluster cluster;
    private final Duration warmUp;

    RestartedNode(BrokerCluster cluster, Duration warmUp) {
        this.cluster = cluster;
        this.warmUp = warmUp.compareTo(SHORTEST_WARM_UP) < 0 ? SHORTEST_WARM_UP : warmUp;
    }

    /**
     * @param filters the number of filters held
     * @param rate messages per second between the other nodes
     */
    Figures run(int filters, double rate) throws LoadFailedException, ClusterFailedException, InterruptedException {
        List<Endpoint> nodes = cluster.endpoints();
        ClientSettings holder = plain(nodes.get(HOLDER - 1));
        ClientSettings last = plain(nodes.get(nodes.size() - 1));
        try (HeldFilters held = new HeldFilters(holder);
                Canary canary = new Canary(last, holder, rate, warmUp.plus(LONGEST.multipliedBy(2)))) {
            held.hold(filters, RestartedNode::filter);
            canary.start();
            TimeUnit.MILLISECONDS.sleep(warmUp.plus(BEFORE).toMillis());
            final Instant killed = Instant.now();
            cluster.kill(NODE);
            TimeUnit.MILLISECONDS.sleep(GONE.toMillis());
            cluster.restart(NODE);
            Machine machine = new Machine(cluster.pids()); // includes the start of the JVM
            Rejoin rejoin = cluster.awaitRejoin(NODE, HOLDER, LONGEST);
            Map<Value, Double> values = new EnumMap<>(machine.seconds());
            List<String> cautions = machine.cautions();
            canary.stop(DRAIN);
            Canary.Heard before = canary.between(killed.minus(BEFORE), killed);
            Canary.Heard meanwhile = canary.between(rejoin.linked(), rejoin.serving());
            Canary.Heard all = canary.between(Instant.MIN, Instant.MAX);
            int unknown = held.missing(nodes.get(NODE - 1), Math.min(LOOKED_AT, filters), RestartedNode::topic, DRAIN);
            if (meanwhile.unserved() > 0) {
                cautions.add("%,d messages between the others were not acknowledged".formatted(meanwhile.unserved()));
            }
            values.put(Value.P99_BEFORE, before.latency().p99());
            values.put(Value.P99, meanwhile.latency().p99());
            values.put(Value.FILTERS_KNOWN, seconds(rejoin.linked(), rejoin.known()));
            values.put(Value.SERVING, seconds(rejoin.linked(), rejoin.serving()));
            return new Figures(values, all.lost() + unknown, cautions);
        }
    }

    private static ClientSettings plain(Endpoint broker) {
        return ClientSettings.plain(List.of(broker), Placement.ACROSS);
    }

    private static double seconds(Instant from, Instant to) {
        return Duration.between(from, to).toMillis() / 1e3;
    }

    /** Of ten filters seven are without wildcard, two have a plus, and one has a hash. */
    static String filter(int i) {
        String site = "site" + i / 50 % 100;
        return switch (i % 10) {
            case 7, 8 -> site + "/+/d" + i + "/state";
            case 9 -> site + "/l" + i % 50 + "/d" + i + "/#";
            default -> topic(i);
        };
    }

    /** A topic that matches filter {@code i} only. */
    static String topic(int i) {
        String site = "site" + i / 50 % 100;
        return site + "/l" + i % 50 + "/d" + i + (i % 10 == 7 || i % 10 == 8 ? "/state" : "/value");
    }
}
