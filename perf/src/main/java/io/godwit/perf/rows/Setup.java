package io.godwit.perf.rows;

/**
 * The cluster that loads run on.
 *
 * @param nodes 1: a broker without a cluster
 * @param voters of each range of stored sessions
 * @param isPushingEarly whether QoS 1 messages go to a connected session while they are being stored, as is the default
 */
public record Setup(int nodes, int voters, boolean isPushingEarly) {
    /** One broker with its default settings. */
    static final Setup ONE = new Setup(1, 1, true);

    static final Setup ONE_WITHOUT_EARLY_PUSH = new Setup(1, 1, false);

    /** A description for the user, such as {@code 3 nodes}. */
    String describe() {
        return (nodes == 1 ? "1 node" : nodes + " nodes") + (isPushingEarly ? "" : ", early push off");
    }
}
