package io.godwit.perf.rows;

import java.util.List;
import java.util.Map;

/**
 * The figures of one load on one cluster. Immutable.
 *
 * @param lost deliveries that are missing, and messages that could not be written
 * @param cautions reasons to doubt the figures, a sentence each
 */
record Figures(Map<Value, Double> values, long lost, List<String> cautions) {
    Figures {
        values = Map.copyOf(values);
        cautions = List.copyOf(cautions);
    }
}
