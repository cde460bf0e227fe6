package io.godwit.perf.rows;

import java.util.List;
import java.util.Map;

/**
 * What one load on one cluster has told. Immutable.
 *
 * @param lost deliveries that are missing, and messages that could not be written
 * @param cautions what makes the figures doubtful, a sentence each
 */
record Figures(Map<Value, Double> values, long lost, List<String> cautions) {
    Figures {
        values = Map.copyOf(values);
        cautions = List.copyOf(cautions);
    }
}
