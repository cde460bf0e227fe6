package io.godwit.perf.rows;

import io.godwit.perf.load.Placement;
import io.godwit.perf.scenario.Family;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import java.util.Map;

/**
 * The loads that figures are taken of, in the order in which they are run on a cluster: what is idle comes after all
 * others, and what ends a node at last.
 */
enum Load {
    QOS0("QoS 0 at 20,000/s", Placement.APART),
    QOS0_MAX("QoS 0, highest rate", Placement.APART),
    QOS1("QoS 1, clean, at 20,000/s", Placement.APART),
    PAIRS("QoS 0 on random nodes at 10,000/s", Placement.RANDOM),
    PERSISTENT("QoS 1, persistent, at 5,000/s", Placement.ACROSS),
    PERSISTENT_MAX("QoS 1, persistent, highest rate", Placement.ACROSS),
    SUBSCRIBE_LIVE("SUBSCRIBE, clean, 200/s", Placement.ACROSS),
    SUBSCRIBE_PERSISTENT("SUBSCRIBE, persistent, 200/s", Placement.ACROSS),
    CONNECT("CONNECT, clean, as fast as answered", Placement.ACROSS),
    SMALL_BESIDE_LARGE("QoS 1 at 2,000/s beside 20 MiB", Placement.APART),
    IDLE("no client", Placement.ACROSS),
    /** All clients are on one node, which is killed. */
    RECONNECT("15,000 clients of a node that is killed", Placement.ACROSS),
    /** On a cluster of its own, whose brokers have room for the filters. */
    RESYNC("a node is started again beside 1,000,000 filters", Placement.APART);

    private static final int PAIR_COUNT = 50;
    private static final int PAYLOAD_BYTES = 32;
    private static final double RATE = 20_000;
    private static final double RANDOM_RATE = 10_000;
    private static final double PERSISTENT_RATE = 5_000;
    private static final double SUBSCRIBE_RATE = 200;
    private static final int CONNECTS = 6_000;
    private static final int CLIENTS_OF_A_NODE = 15_000;
    private static final int FILTERS = 1_000_000;
    /** An eighth of the heap is for filters, and a million take some 320 MB of it. */
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

    /** For the user, at scale 1. */
    String title() {
        return title;
    }

    Placement placement() {
        return placement;
    }

    /** Messages per second that it begins with; 0 where it has no rate of messages. */
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
     * The clients and what they do; {@link IllegalArgumentException} of {@link #IDLE}, which has none.
     *
     * @param scale above 0, at most 1: a part of the rates and connections; there are 50 pairs in any case
     * @param seconds that it lasts
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

    /** {@link #QOS0} and the like at another rate, in messages per second of all pairs together. */
    Scenario pairs(double rate) {
        return Scenario.named(name(), Family.FREE, Topology.ONE_TO_ONE)
                .publishers(PAIR_COUNT)
                .subscribers(PAIR_COUNT)
                .payloadBytes(PAYLOAD_BYTES)
                .ratePerPublisher(rate / PAIR_COUNT)
                .build();
    }

    /**
     * What goes beside {@link #SMALL_BESIDE_LARGE}: one publisher of 20 MiB messages, as often as the two nodes of a
     * small machine carry.
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

    /** How many filters are held in {@link #RESYNC}. */
    static int filters(double scale) {
        return (int) Math.max(1, Math.round(FILTERS * scale));
    }

    /** Keys of the brokers' configuration that it needs to have other values than their defaults. */
    Map<String, String> configuration() {
        return switch (this) {
            case SMALL_BESIDE_LARGE -> Map.of("mqttServerConfig.maxPacketBytes", "24MB");
            case RESYNC -> Map.of("clusterConfig.maxLiveFilterBytes", "400MB");
            default -> Map.of();
        };
    }

    /** The heap that each broker needs for it at least, as the JVM takes it. */
    String leastHeap(double scale) {
        return this == RESYNC ? (int) Math.ceil(MEBIBYTES_OF_FILTERS * scale) + "m" : "1m";
    }

    /** Whether it runs on a cluster of its own, and so long that it is run only when its row is asked for. */
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
