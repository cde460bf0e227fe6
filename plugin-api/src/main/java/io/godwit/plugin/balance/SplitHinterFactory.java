package io.godwit.plugin.balance;

import java.util.Map;

/**
 * Makes a {@link SplitHinter}. Found as a {@link RangeBalancerFactory} is; {@code storeConfig.(key space).splitHinter}
 * names it. Has a public constructor without parameters.
 */
public interface SplitHinterFactory {
    /** What the configuration calls it: lower-case letters, digits and hyphens; unique. */
    String name();

    /** Every setting it knows, with its default. A setting that is not in here is refused before {@link #create}. */
    default Map<String, String> defaults() {
        return Map.of();
    }

    /**
     * Called at start, to learn of wrong settings, and then for each leadership, where the calls of its hinter come:
     * must be cheap and thread-safe.
     *
     * @param settings {@link #defaults} overlaid with what was configured
     * @throws IllegalArgumentException naming the setting and what was expected
     */
    SplitHinter create(Map<String, String> settings);
}
