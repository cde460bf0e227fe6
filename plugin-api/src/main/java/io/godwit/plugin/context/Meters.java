package io.godwit.plugin.context;

import java.util.function.DoubleSupplier;

/**
 * Meters of one plugin. They are named {@code plugin.(name of the plugin).(name)} and are in {@code /metrics} with the
 * broker's own, there with '_' for all but letters and digits.
 *
 * <p>Asking for a meter with the same name and labels again gives the same one; a plugin should keep it all the same.
 * A plugin has at most {@link #MAX_METERS}, so no label should be chosen by clients. Whoever wants more is given
 * meters that count into the void, and is reported once.
 *
 * <p>Labels are names and values in turn. All calls throw {@link IllegalArgumentException} for names and labels that
 * are not valid: a name is up to 64 lower-case letters, digits, dots and '_' and begins with a letter; there are at
 * most 3 labels, with values of up to 64 characters; the same name always has the same kind and the same label names.
 */
public interface Meters {
    /** Of one plugin, each combination of labels counted. */
    int MAX_METERS = 100;

    /** Counts up. */
    interface Counter {
        /** @param count not negative */
        void add(long count);
    }

    /** Durations: how many, their sum and the longest of late. */
    interface Timer {
        /** @param nanos not negative */
        void record(long nanos);
    }

    Counter counter(String name, String description, String... labels);

    Timer timer(String name, String description, String... labels);

    /**
     * A value that goes up and down.
     *
     * @param value asked every ten seconds, on a thread of the plugin; until then, and when it throws, the value is
     *     "not a number"
     */
    void gauge(String name, String description, DoubleSupplier value, String... labels);
}
