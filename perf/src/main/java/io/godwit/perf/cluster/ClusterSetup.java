package io.godwit.perf.cluster;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The settings of a cluster to be started.
 *
 * @param nodes broker processes, 1 to 9; one is a broker without a cluster
 * @param inboxVoters voters of each range of stored sessions, 1 to 7 and no more than nodes
 * @param heap of each broker, in the form of the JVM's {@code -Xmx}, such as 512m or 2g
 * @param jvmOptions further options of each broker's JVM
 * @param configuration keys of each broker's configuration, such as {@code mqttServerConfig.maxPacketBytes}, with
 * values that replace the defaults
 * @param isTls whether nodes communicate over TLS; clients always use plain TCP
 * @param isKeepingLogs whether logs, configuration and output stay after the cluster has ended
 */
public record ClusterSetup(
        UnpackedDistribution distribution,
        int nodes,
        int inboxVoters,
        String heap,
        List<String> jvmOptions,
        Map<String, String> configuration,
        boolean isTls,
        boolean isKeepingLogs) {
    private static final int MOST_NODES = 9;
    private static final int MOST_VOTERS = 7;
    /** Voters of ranges of routes and retained messages, and by default of stored sessions. */
    private static final int USUAL_VOTERS = 3;

    private static final Pattern HEAP = Pattern.compile("[1-9]\\d{0,8}[kKmMgG]");

    /**
     * Checks the bounds.
     *
     * @throws IllegalArgumentException if something is out of bounds; its message is for the user
     */
    public ClusterSetup {
        if (nodes < 1 || nodes > MOST_NODES) {
            throw new IllegalArgumentException("--nodes must be 1 to " + MOST_NODES + ", was " + nodes);
        }
        if (inboxVoters < 1 || inboxVoters > Math.min(MOST_VOTERS, nodes)) {
            throw new IllegalArgumentException("--voters must be 1 to " + Math.min(MOST_VOTERS, nodes) + " of " + nodes
                    + (nodes == 1 ? " node, was " : " nodes, was ") + inboxVoters);
        }
        if (!HEAP.matcher(heap).matches()) {
            throw new IllegalArgumentException("--heap must be a size as 512m or 2g, was " + heap);
        }
        jvmOptions = List.copyOf(jvmOptions);
        configuration = Map.copyOf(configuration);
    }

    /** Settings without further keys of the configuration. */
    public ClusterSetup(
            UnpackedDistribution distribution,
            int nodes,
            int inboxVoters,
            String heap,
            List<String> jvmOptions,
            boolean isTls,
            boolean isKeepingLogs) {
        this(distribution, nodes, inboxVoters, heap, jvmOptions, Map.of(), isTls, isKeepingLogs);
    }

    /**
     * These settings with further keys of the configuration, and with at least {@code leastHeap}.
     *
     * @param leastHeap in the form of {@link #heap}
     */
    public ClusterSetup with(Map<String, String> more, String leastHeap) {
        Map<String, String> all = new TreeMap<>(configuration);
        all.putAll(more);
        return new ClusterSetup(
                distribution,
                nodes,
                inboxVoters,
                kibibytes(heap) < kibibytes(leastHeap) ? leastHeap : heap,
                jvmOptions,
                all,
                isTls,
                isKeepingLogs);
    }

    private static long kibibytes(String heap) {
        long count = Long.parseLong(heap.substring(0, heap.length() - 1));
        return switch (heap.charAt(heap.length() - 1)) {
            case 'k', 'K' -> count;
            case 'm', 'M' -> count << 10;
            default -> count << 20;
        };
    }

    /** The default number of voters of each range in a cluster of {@code nodes}. */
    public static int usualVoters(int nodes) {
        return Math.min(USUAL_VOTERS, nodes);
    }

    /** The number of voters of each range of {@code store} when the cluster is complete. */
    int votersOf(Store store) {
        return store == Store.INBOX ? inboxVoters : usualVoters(nodes);
    }
}
