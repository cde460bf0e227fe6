package io.godwit.perf.rows;

/**
 * A cluster that loads are put on.
 *
 * @param nodes one is a broker without a cluster
 * @param voters of each range of stored sessions
 * @param isPushingEarly whether QoS 1 goes to a connected session while its write is under way, as is the default
 */
public record Setup(int nodes, int voters, boolean isPushingEarly) {
    /** One broker as it is started by default. */
    static final Setup ONE = new Setup(1, 1, true);

    static final Setup ONE_WITHOUT_EARLY_PUSH = new Setup(1, 1, false);

    /** For the user, such as {@code 3 nodes}. */
    String describe() {
        return (nodes == 1 ? "1 node" : nodes + " nodes") + (isPushingEarly ? "" : ", early push off");
    }
}
