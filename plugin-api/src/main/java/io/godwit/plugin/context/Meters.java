package io.godwit.plugin.context;

import java.util.function.DoubleSupplier;

/**
 * Meters of one plugin. They are named {@code plugin.(name of the plugin).(name)} and appear in {@code /metrics} with
 * the broker's own; there every character but letters and digits becomes '_'.
 *
 * <p>Asking again for the same name and labels returns the same meter, but a plugin should keep it. A plugin has at
 * most {@link #MAX_METERS}, so clients must not choose the value of a label. Beyond that number a plugin gets meters
 * that record nothing, and the broker reports it once.
 *
 * <p>{@code labels} alternate names and values. All calls throw {@link IllegalArgumentException} for names and labels
 * that are not valid: a name is up to 64 lower-case letters, digits, dots and '_' and begins with a letter; there are
 * at most 3 labels, with values of up to 64 characters; the same name always has the same kind and the same label
 * names.
 */
public interface Meters {
    /** Most meters of one plugin; each combination of labels counts. */
    int MAX_METERS = 100;

    /** A count that only rises. */
    interface Counter {
        /** @param count not negative */
        void add(long count);
    }

    /** Durations: their number, their sum and the longest recent one. */
    interface Timer {
        /** @param nanos not negative */
        void record(long nanos);
    }

    Counter counter(String name, String description, String... labels);

    Timer timer(String name, String description, String... labels);

    /**
     * A value that goes up and down.
     *
     * @param value read every ten seconds, on a thread of the plugin; before the first read, and when it throws,
     *     the gauge is "not a number"
     */
    void gauge(String name, String description, DoubleSupplier value, String... labels);
}
