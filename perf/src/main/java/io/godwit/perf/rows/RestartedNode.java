package io.godwit.perf.rows;

import io.godwit.perf.cluster.BrokerCluster;
import io.godwit.perf.cluster.ClusterFailedException;
import io.godwit.perf.cluster.Rejoin;
import io.godwit.perf.load.Canary;
import io.godwit.perf.load.ClientSettings;
import io.godwit.perf.load.Endpoint;
import io.godwit.perf.load.HeldFilters;
import io.godwit.perf.load.LoadFailedException;
import io.godwit.perf.load.Placement;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How long a node takes to learn the filters of live sessions of another one, and what others notice meanwhile. Clients
 * of node 1 hold the filters. Node 2 is killed, and started again when the others have gone on without it; it has to
 * know all filters before it serves. A link that is only broken for a while resumes, and nothing is told anew: so it is
 * the process that goes. A client of node 1 hears one of the last node all the time. Used by one thread.
 */
final class RestartedNode {
    private static final int HOLDER = 1;
    private static final int NODE = 2;
    /** Filters that are looked at afterwards, whether the node knows them. */
    private static final int LOOKED_AT = 1_000;

    private static final Duration LONGEST = Duration.ofMinutes(2);
    /** By then the others have gone on without a node that was killed, which takes them three seconds at most. */
    private static final Duration GONE = Duration.ofSeconds(5);

    /** The first messages of a cluster are slow. */
    private static final Duration WARM_UP = Duration.ofSeconds(5);

    private static final Duration BEFORE = Duration.ofSeconds(5);
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private final BrokerCluster cluster;

    RestartedNode(BrokerCluster cluster) {
        this.cluster = cluster;
    }

    /**
     * @param filters that are held
     * @param rate of messages between the other nodes, per second
     */
    Figures run(int filters, double rate) throws LoadFailedException, ClusterFailedException, InterruptedException {
        List<Endpoint> nodes = cluster.endpoints();
        ClientSettings holder = plain(nodes.get(HOLDER - 1));
        ClientSettings last = plain(nodes.get(nodes.size() - 1));
        try (HeldFilters held = new HeldFilters(holder);
                Canary canary = new Canary(last, holder, rate, LONGEST.multipliedBy(2))) {
            held.hold(filters, RestartedNode::filter);
            canary.start();
            TimeUnit.MILLISECONDS.sleep(WARM_UP.plus(BEFORE).toMillis());
            final Instant killed = Instant.now();
            cluster.kill(NODE);
            TimeUnit.MILLISECONDS.sleep(GONE.toMillis());
            cluster.restart(NODE);
            Machine machine = new Machine(cluster.pids()); // the start of the JVM is part of it
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

    /** Of ten, seven without wildcard, two with a plus, one with a hash. */
    static String filter(int i) {
        String site = "site" + i / 50 % 100;
        return switch (i % 10) {
            case 7, 8 -> site + "/+/d" + i + "/state";
            case 9 -> site + "/l" + i % 50 + "/d" + i + "/#";
            default -> topic(i);
        };
    }

    /** What filter {@code i} matches, and no other does. */
    static String topic(int i) {
        String site = "site" + i / 50 % 100;
        return site + "/l" + i % 50 + "/d" + i + (i % 10 == 7 || i % 10 == 8 ? "/state" : "/value");
    }
}
