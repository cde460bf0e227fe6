package io.godwit.api.port;

import java.util.List;

/**
 * What the nodes of a cluster answered.
 *
 * @param value made of the answers that came in time
 * @param missingNodes store ids of members that did not answer in time, in order; {@code value} lacks what they know
 */
public record Answer<T>(T value, List<String> missingNodes) {
    public Answer {
        missingNodes = missingNodes.stream().sorted().toList();
    }

    /** An answer of all that were asked. */
    public static <T> Answer<T> complete(T value) {
        return new Answer<>(value, List.of());
    }
}
