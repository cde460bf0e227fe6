package io.godwit.perf.load.client;

import java.util.SplittableRandom;

/** Which of several brokers a client connects to. A client takes the same broker in every run. */
public enum Placement {
    /**
     * Client i takes broker i modulo their number, but a subscriber takes the one after that, so that each message of a
     * one-to-one load goes from one broker to another.
     */
    ACROSS,
    /** Each client takes a broker at random. Of n brokers, one message in n stays on its broker. */
    RANDOM,
    /** Publishers take the first broker, all other clients the second; further brokers have no clients. */
    APART;

    /**
     * The number of the broker that a client takes, from 0, below {@code brokers}.
     *
     * @param index of the client among those of its role, from 0
     * @param brokers at least 1
     */
    int brokerOf(ClientRole role, int index, int brokers) {
        return switch (this) {
            case ACROSS -> (int) ((index + (role == ClientRole.SUBSCRIBER ? 1L : 0L)) % brokers);
            case RANDOM -> new SplittableRandom(index * 4L + role.ordinal()).nextInt(brokers);
            case APART -> role == ClientRole.PUBLISHER ? 0 : Math.min(1, brokers - 1);
        };
    }
}
