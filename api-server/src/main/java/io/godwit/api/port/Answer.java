package io.godwit.api.port;

import java.util.List;

/**
 * The combined answer of the nodes of a cluster.
 *
 * @param value made of the answers that came in time
 * @param missingNodes store ids of members that did not answer in time, in order; {@code value} lacks their part
 */
public record Answer<T>(T value, List<String> missingNodes) {
    public Answer {
        missingNodes = missingNodes.stream().sorted().toList();
    }

    /** An answer without missing nodes. */
    public static <T> Answer<T> complete(T value) {
        return new Answer<>(value, List.of());
    }
}
