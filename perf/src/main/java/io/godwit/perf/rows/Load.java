package io.godwit.perf.rows;

import io.godwit.perf.load.client.Placement;
import io.godwit.perf.scenario.Family;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import java.util.Map;

/**
 * The loads that are measured, in the order in which they run on a cluster: the idle one after all others, except for
 * those that kill a node, which are last.
 */
enum Load {
    QOS0("QoS 0 at 20,000/s", Placement.APART),
    QOS0_MAX("QoS 0, highest rate", Placement.APART),
    QOS1("QoS 1, clean, at 20,000/s", Placement.APART),
    PAIRS("QoS 0 on random nodes at 10,000/s", Placement.RANDOM),
    PERSISTENT("QoS 1, persistent, at 5,000/s", Placement.ACROSS),
    PERSISTENT_MAX("QoS 1, persistent, highest rate", Placement.ACROSS),
    SUBSCRIBE_LIVE("SUBSCRIBE, clean, 20/s", Placement.ACROSS),
    SUBSCRIBE_PERSISTENT("SUBSCRIBE, persistent, 20/s", Placement.ACROSS),
    CONNECT("CONNECT, clean, as fast as answered", Placement.ACROSS),
    SMALL_BESIDE_LARGE("QoS 1 at 2,000/s beside 20 MiB", Placement.APART),
    IDLE("no client", Placement.ACROSS),
    /** All clients are on one node, which is killed. */
    RECONNECT("15,000 clients of a node that is killed", Placement.ACROSS),
    /** Runs on a cluster of its own, with brokers that have memory for the filters. */
    RESYNC("a node is started again beside 1,000,000 filters", Placement.APART);

    private static final int PAIR_COUNT = 50;
    private static final int PAYLOAD_BYTES = 32;
    private static final double RATE = 20_000;
    private static final double RANDOM_RATE = 10_000;
    private static final double PERSISTENT_RATE = 5_000;
    /** Low, because the figure is how long an answer takes, not how many a small machine gives at a time. */
    private static final double SUBSCRIBE_RATE = 20;

    private static final int CONNECTS = 6_000;
    private static final int CLIENTS_OF_A_NODE = 15_000;
    private static final int FILTERS = 1_000_000;
    /** Heap of a broker in MiB at scale 1: an eighth of it is for filters, and a million filters take some 320 MB. */
    private static final int MEBIBYTES_OF_FILTERS = 3_072;

    private static final double CANARY_RATE = 1_000;
    private static final double SMALL_RATE = 2_000;
    private static final int LARGE_BYTES = 20 << 20;
    private static final double LARGE_RATE = 2;

    private final String title;
    private final Placement placement;

    Load(String title, Placement placement) {
        this.title = title;
        this.placement = placement;
    }

    /** A title for the user, which describes the load at scale 1. */
    String title() {
        return title;
    }

    Placement placement() {
        return placement;
    }

    /** Messages per second to begin with; 0 if it has no rate of messages. */
    double rate(double scale) {
        return scale
                * switch (this) {
                    case QOS0, QOS0_MAX, QOS1 -> RATE;
                    case PAIRS -> RANDOM_RATE;
                    case PERSISTENT -> PERSISTENT_RATE;
                    case SMALL_BESIDE_LARGE -> SMALL_RATE;
                    case RESYNC -> CANARY_RATE;
                    case PERSISTENT_MAX, SUBSCRIBE_LIVE, SUBSCRIBE_PERSISTENT, CONNECT, IDLE, RECONNECT -> 0;
                };
    }

    /**
     * The clients and their work.
     *
     * @param scale above 0, at most 1: factor of the rates and connections; there are always 50 pairs
     * @param seconds its duration
     * @throws IllegalArgumentException if this is {@link #IDLE}, which has no clients
     */
    Scenario scenario(double scale, double seconds) {
        return switch (this) {
            case QOS0, QOS0_MAX, PAIRS -> pairs(rate(scale));
            case QOS1, SMALL_BESIDE_LARGE -> pairs(rate(scale)).with(s -> s.qos(1));
            case PERSISTENT, PERSISTENT_MAX ->
                pairs(rate(scale)).with(s -> s.qos(1).cleanSession(false));
            case SUBSCRIBE_LIVE -> subscribers(scale, seconds);
            case SUBSCRIBE_PERSISTENT -> subscribers(scale, seconds).with(s -> s.cleanSession(false));
            case CONNECT ->
                Scenario.named(name(), Family.FREE, Topology.CONNECTIONS)
                        .background((int) Math.max(1, Math.round(CONNECTS * scale)))
                        .build();
            case RECONNECT ->
                Scenario.named(name(), Family.FREE, Topology.CONNECTIONS)
                        .subscribers((int) Math.max(1, Math.round(CLIENTS_OF_A_NODE * scale)))
                        .qos(1)
                        .build();
            case RESYNC ->
                Scenario.named(name(), Family.FREE, Topology.ONE_TO_ONE)
                        .publishers(1)
                        .subscribers(1)
                        .qos(1)
                        .payloadBytes(PAYLOAD_BYTES)
                        .ratePerPublisher(rate(scale))
                        .build();
            case IDLE -> throw new IllegalArgumentException("nobody connects to a cluster that is idle");
        };
    }

    /** Pairs as those of {@link #QOS0}, at another rate, in messages per second of all pairs together. */
    Scenario pairs(double rate) {
        return Scenario.named(name(), Family.FREE, Topology.ONE_TO_ONE)
                .publishers(PAIR_COUNT)
                .subscribers(PAIR_COUNT)
                .payloadBytes(PAYLOAD_BYTES)
                .ratePerPublisher(rate / PAIR_COUNT)
                .build();
    }

    /**
     * The load beside {@link #SMALL_BESIDE_LARGE}: one publisher of 20 MiB messages, at a rate that two nodes on a
     * small machine can carry.
     */
    static Scenario large() {
        return Scenario.named("LARGE", Family.FREE, Topology.ONE_TO_ONE)
                .publishers(1)
                .subscribers(1)
                .qos(1)
                .payloadBytes(LARGE_BYTES)
                .ratePerPublisher(LARGE_RATE)
                .build();
    }

    /** The number of filters held in {@link #RESYNC}. */
    static int filters(double scale) {
        return (int) Math.max(1, Math.round(FILTERS * scale));
    }

    /** Keys of the brokers' configuration for which it needs values other than the defaults. */
    Map<String, String> configuration() {
        return switch (this) {
            case SMALL_BESIDE_LARGE -> Map.of("mqttServerConfig.maxPacketBytes", "24MB");
            case RESYNC -> Map.of("clusterConfig.maxLiveFilterBytes", "400MB");
            default -> Map.of();
        };
    }

    /** The smallest heap that each broker needs for it, in the form of the JVM. */
    String leastHeap(double scale) {
        return this == RESYNC ? (int) Math.ceil(MEBIBYTES_OF_FILTERS * scale) + "m" : "1m";
    }

    /** Whether it runs on a cluster of its own, and takes so long that it is run only if its row is asked for. */
    boolean isApart() {
        return this == RESYNC;
    }

    private Scenario subscribers(double scale, double seconds) {
        double rate = Math.max(1, SUBSCRIBE_RATE * scale);
        return Scenario.named(name(), Family.FREE, Topology.CONNECTIONS)
                .subscribers((int) Math.max(1, Math.round(rate * seconds)))
                .connectRate(rate)
                .qos(1)
                .build();
    }
}
