package io.godwit.perf.rows;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

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

    /**
     * Combines rounds of a load: the median of each value, the losses of all rounds, and their cautions without
     * repetition.
     */
    static Figures ofRounds(List<Figures> rounds) {
        Map<Value, Double> values = new EnumMap<>(Value.class);
        for (Value value : Value.values()) {
            median(rounds, value).ifPresent(median -> values.put(value, median));
        }
        Set<String> cautions = new LinkedHashSet<>();
        rounds.forEach(round -> cautions.addAll(round.cautions()));
        return new Figures(values, rounds.stream().mapToLong(Figures::lost).sum(), new ArrayList<>(cautions));
    }

    /** The median of a value, for an even number the mean of the two in the middle; empty if none has the value. */
    static OptionalDouble median(List<Figures> all, Value value) {
        double[] sorted = all.stream()
                .filter(figures -> figures.values().containsKey(value))
                .mapToDouble(figures -> figures.values().get(value))
                .sorted()
                .toArray();
        int middle = sorted.length / 2;
        if (sorted.length == 0) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
    }
}
