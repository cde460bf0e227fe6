package io.godwit.perf.rows;

import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table: what is told of a load on a cluster, what that is compared with, and the figure to reach.
 *
 * @param id by which the user chooses it; several rows may share one
 * @param base the cluster that it is compared with; null where {@code comparison} is {@link Comparison#ALONE}
 * @param target NaN where there is none
 * @param stretch what would be better than the target; NaN where there is none
 */
record Row(
        String id,
        String title,
        Load load,
        Value value,
        Setup setup,
        @Nullable Setup base,
        Comparison comparison,
        double target,
        double stretch) {

    /** How the figure is made. */
    enum Comparison {
        /** The value divided by that of the base. */
        RATIO,
        /** The value less that of the base. */
        DIFFERENCE,
        /** The value as it is. */
        ALONE
    }

    Row {
        if ((base == null) != (comparison == Comparison.ALONE)) {
            throw new IllegalArgumentException(id + ": " + comparison + " with base " + base);
        }
    }

    /** What is compared with {@link #target}; empty while a value is missing, or a ratio has 0 below. */
    OptionalDouble figure(Measurements told) {
        OptionalDouble here = told.median(setup, load, value);
        if (here.isEmpty() || base == null) {
            return here;
        }
        OptionalDouble there = told.median(base, load, value);
        if (there.isEmpty() || comparison == Comparison.RATIO && there.getAsDouble() == 0) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(
                comparison == Comparison.RATIO
                        ? here.getAsDouble() / there.getAsDouble()
                        : here.getAsDouble() - there.getAsDouble());
    }

    /** Whether a figure reaches the target: {@code stretch}, {@code yes}, {@code no}, or {@code -} without a target. */
    String verdict(double figure) {
        if (!Double.isNaN(stretch) && value.meets(figure, stretch)) {
            return "stretch";
        }
        return Double.isNaN(target) ? "-" : value.meets(figure, target) ? "yes" : "no";
    }
}
