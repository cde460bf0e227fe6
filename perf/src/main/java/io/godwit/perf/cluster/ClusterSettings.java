package io.godwit.perf.cluster;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What cluster is started.
 *
 * @param nodes broker processes, 1 to 9; one is a broker without a cluster
 * @param inboxVoters voters of each range of stored sessions, 1 to 7 and no more than nodes
 * @param heap of each broker, as the JVM's {@code -Xmx} takes it, such as 512m or 2g
 * @param jvmOptions further options of each broker's JVM
 * @param configuration keys of each broker's configuration, such as {@code mqttServerConfig.maxPacketBytes}, with the
 *     values that they have instead of their defaults
 * @param isTls whether nodes speak to each other over TLS; clients speak plain TCP in any case
 * @param isKeepingLogs whether logs, configuration and output stay when the cluster has ended
 */
public record ClusterSettings(
        Distribution distribution,
        int nodes,
        int inboxVoters,
        String heap,
        List<String> jvmOptions,
        Map<String, String> configuration,
        boolean isTls,
        boolean isKeepingLogs) {
    private static final int MOST_NODES = 9;
    private static final int MOST_VOTERS = 7;
    /** Of routes and retained messages, and of stored sessions unless said otherwise. */
    private static final int USUAL_VOTERS = 3;

    private static final Pattern HEAP = Pattern.compile("[1-9]\\d{0,8}[kKmMgG]");

    /** {@link IllegalArgumentException}, with a sentence for the user, when something is out of bounds. */
    public ClusterSettings {
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

    /** Of brokers whose configuration has its defaults. */
    public ClusterSettings(
            Distribution distribution,
            int nodes,
            int inboxVoters,
            String heap,
            List<String> jvmOptions,
            boolean isTls,
            boolean isKeepingLogs) {
        this(distribution, nodes, inboxVoters, heap, jvmOptions, Map.of(), isTls, isKeepingLogs);
    }

    /**
     * The same with further keys of the configuration, and with at least this heap.
     *
     * @param leastHeap as {@link #heap}
     */
    public ClusterSettings with(Map<String, String> more, String leastHeap) {
        Map<String, String> all = new TreeMap<>(configuration);
        all.putAll(more);
        return new ClusterSettings(
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

    /** The voters that each range of a store has in a cluster of {@code nodes} where nothing else is said. */
    public static int usualVoters(int nodes) {
        return Math.min(USUAL_VOTERS, nodes);
    }

    /** The voters that each range of {@code store} has once the cluster is complete. */
    int votersOf(Store store) {
        return store == Store.INBOX ? inboxVoters : usualVoters(nodes);
    }
}
