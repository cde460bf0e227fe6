package io.godwit.perf.rows;

import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table: a value of a load on a cluster, the cluster that it is compared with, and the figure to reach.
 *
 * @param id by which the user chooses it; several rows may share one
 * @param base the cluster that it is compared with; null if {@code comparison} is {@link Comparison#ALONE}
 * @param target the figure to reach; NaN if there is none
 * @param stretch a figure better than the target; NaN if there is none
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

    /** How the figure is computed. */
    enum Comparison {
        /** The value divided by that of the base. */
        RATIO,
        /** The value minus that of the base. */
        DIFFERENCE,
        /** The value itself. */
        ALONE
    }

    Row {
        if ((base == null) != (comparison == Comparison.ALONE)) {
            throw new IllegalArgumentException(id + ": " + comparison + " with base " + base);
        }
    }

    /**
     * The figure that is compared with {@link #target}; empty while a value is missing, or if a ratio would be divided
     * by 0.
     */
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

    /**
     * Whether a figure reaches the target: {@code stretch} if it reaches that too, else {@code yes} or {@code no};
     * {@code -} without a target.
     */
    String verdict(double figure) {
        if (!Double.isNaN(stretch) && value.meets(figure, stretch)) {
            return "stretch";
        }
        return Double.isNaN(target) ? "-" : value.meets(figure, target) ? "yes" : "no";
    }
}
