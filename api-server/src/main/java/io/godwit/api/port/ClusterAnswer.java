package io.godwit.api.port;

import java.util.List;

/**
 * The combined answer of the nodes of a cluster.
 *
 * @param value made of the answers that came in time
 * @param missingNodes store ids of members that did not answer in time, in order; {@code value} lacks their part
 */
public record ClusterAnswer<T>(T value, List<String> missingNodes) {
    public ClusterAnswer {
        missingNodes = missingNodes.stream().sorted().toList();
    }

    /** An answer without missing nodes. */
    public static <T> ClusterAnswer<T> complete(T value) {
        return new ClusterAnswer<>(value, List.of());
    }
}
