package io.godwit.perf.scenario;

import java.util.function.UnaryOperator;

/**
 * A load: how many clients of each kind there are, what they send, and how fast.
 *
 * @param name as the user gave it
 * @param ratePerPublisher messages per second of each publisher; 0: a closed loop, as fast as acknowledgements allow
 * @param background connections that do nothing
 * @param connectRate connections per second; 0: as fast as the broker answers
 * @param messagesEach messages that each client publishes, for {@link Topology#CONNECT_AND_PUBLISH} only
 * @param nodes of the cluster according to the name; it has no effect on the load
 * @param voters of each range of stored sessions according to the name; 0 if it has none; without effect on the load
 * @param isCold whether the load begins at once without warm-up, and all of it counts
 */
public record Scenario(
        String name,
        Family family,
        Topology topology,
        int publishers,
        int subscribers,
        int qos,
        int payloadBytes,
        double ratePerPublisher,
        boolean isCleanSession,
        boolean isCold,
        int background,
        Security security,
        double connectRate,
        int messagesEach,
        int nodes,
        int voters) {
    private static final int MOST_CLIENTS = 10_000_000;
    private static final int LARGEST_PAYLOAD = 268_435_000;

    public Scenario {
        require(publishers >= 0 && publishers <= MOST_CLIENTS, "publishers", publishers);
        require(subscribers >= 0 && subscribers <= MOST_CLIENTS, "subscribers", subscribers);
        require(background >= 0 && background <= MOST_CLIENTS, "background connections", background);
        require(qos >= 0 && qos <= 2, "QoS", qos);
        require(payloadBytes >= 0 && payloadBytes <= LARGEST_PAYLOAD, "payload", payloadBytes);
        require(ratePerPublisher >= 0 && ratePerPublisher <= 1_000_000, "rate", ratePerPublisher);
        require(connectRate >= 0 && connectRate <= 1_000_000, "connect rate", connectRate);
        require(nodes >= 1, "nodes", nodes);
        require(voters >= 0, "voters", voters);
        require(messagesEach >= 0 && messagesEach <= 1_000_000, "messages", messagesEach);
    }

    private static void require(boolean isRight, String what, double value) {
        if (!isRight) {
            throw new IllegalArgumentException(what + " out of bounds: " + value);
        }
    }

    /** Connections of all kinds. */
    public int connections() {
        return publishers + subscribers + background;
    }

    /** Whether a rate of messages is given. */
    public boolean isOpenLoop() {
        return publishers > 0 && ratePerPublisher > 0 && topology != Topology.CONNECT_AND_PUBLISH;
    }

    /** Whether publishers send as soon as their windows permit. */
    public boolean isClosedLoop() {
        return publishers > 0 && ratePerPublisher == 0 && topology != Topology.CONNECT_AND_PUBLISH;
    }

    /** Whether the opening of connections is measured. */
    public boolean isConnecting() {
        return topology == Topology.CONNECTIONS || topology == Topology.CONNECT_AND_PUBLISH;
    }

    /** Messages per second that all publishers send together; 0 if no rate is given. */
    public double statedRateIn() {
        return isOpenLoop() ? publishers * ratePerPublisher : 0;
    }

    /** Messages per second that reach subscribers. */
    public double statedRateOut() {
        return statedRateIn() * copies();
    }

    /** How many subscribers receive each message. */
    public int copies() {
        return switch (topology) {
            case FAN_OUT -> subscribers;
            case ONE_TO_ONE, SHARED, RANDOM -> subscribers == 0 ? 0 : 1;
            case FAN_IN, LISTEN, CONNECTIONS, CONNECT_AND_PUBLISH -> 0;
        };
    }

    /**
     * The same scenario with fewer clients: connections of each kind and total rates shrink by {@code scale}, whereas
     * the rate and the payload of each publisher stay. The few publishers of a fan-out or of a random choice stay as
     * well, a shared group has at least two members, and publishers and subscribers do not become none.
     */
    public Scenario scaled(double scale) {
        if (!(scale > 0 && scale <= 1)) {
            throw new IllegalArgumentException("scale must be above 0 and at most 1, was " + scale);
        }
        int fewest = topology == Topology.SHARED ? Math.min(2, subscribers) : Math.min(1, subscribers);
        int subs = Math.max(fewest, scaled(subscribers, scale));
        int pubs = switch (topology) {
            case FAN_OUT -> publishers;
            case RANDOM -> Math.min(publishers, subs);
            default -> Math.max(Math.min(1, publishers), scaled(publishers, scale));
        };
        double connects = connectRate == 0 ? 0 : Math.max(1, connectRate * scale);
        return new Builder(this)
                .publishers(pubs)
                .subscribers(subs)
                .background(scaled(background, scale))
                .connectRate(connects)
                .build();
    }

    private static int scaled(int count, double scale) {
        return (int) Math.round(count * scale);
    }

    public Scenario with(UnaryOperator<Builder> change) {
        return change.apply(new Builder(this)).build();
    }

    public static Builder named(String name, Family family, Topology topology) {
        return new Builder(name, family, topology);
    }

    /** Builds a scenario. */
    public static final class Builder {
        private final String name;
        private final Family family;
        private Topology topology;
        private int publishers;
        private int subscribers;
        private int qos;
        private int payloadBytes;
        private double ratePerPublisher;
        private boolean isCleanSession = true;
        private boolean isCold;
        private int background;
        private Security security = Security.PLAIN;
        private double connectRate;
        private int messagesEach;
        private int nodes = 1;
        private int voters;

        private Builder(String name, Family family, Topology topology) {
            this.name = name;
            this.family = family;
            this.topology = topology;
        }

        private Builder(Scenario from) {
            this(from.name, from.family, from.topology);
            publishers = from.publishers;
            subscribers = from.subscribers;
            qos = from.qos;
            payloadBytes = from.payloadBytes;
            ratePerPublisher = from.ratePerPublisher;
            isCleanSession = from.isCleanSession;
            isCold = from.isCold;
            background = from.background;
            security = from.security;
            connectRate = from.connectRate;
            messagesEach = from.messagesEach;
            nodes = from.nodes;
            voters = from.voters;
        }

        public Builder topology(Topology topology) {
            this.topology = topology;
            return this;
        }

        public Builder publishers(int publishers) {
            this.publishers = publishers;
            return this;
        }

        public Builder subscribers(int subscribers) {
            this.subscribers = subscribers;
            return this;
        }

        public Builder qos(int qos) {
            this.qos = qos;
            return this;
        }

        public Builder payloadBytes(int payloadBytes) {
            this.payloadBytes = payloadBytes;
            return this;
        }

        public Builder ratePerPublisher(double ratePerPublisher) {
            this.ratePerPublisher = ratePerPublisher;
            return this;
        }

        public Builder cleanSession(boolean isCleanSession) {
            this.isCleanSession = isCleanSession;
            return this;
        }

        public Builder cold(boolean isCold) {
            this.isCold = isCold;
            return this;
        }

        public Builder background(int background) {
            this.background = background;
            return this;
        }

        public Builder security(Security security) {
            this.security = security;
            return this;
        }

        public Builder connectRate(double connectRate) {
            this.connectRate = connectRate;
            return this;
        }

        public Builder messagesEach(int messagesEach) {
            this.messagesEach = messagesEach;
            return this;
        }

        public Builder nodes(int nodes) {
            this.nodes = nodes;
            return this;
        }

        public Builder voters(int voters) {
            this.voters = voters;
            return this;
        }

        public Scenario build() {
            return new Scenario(
                    name,
                    family,
                    topology,
                    publishers,
                    subscribers,
                    qos,
                    payloadBytes,
                    ratePerPublisher,
                    isCleanSession,
                    isCold,
                    background,
                    security,
                    connectRate,
                    messagesEach,
                    nodes,
                    voters);
        }
    }
}
