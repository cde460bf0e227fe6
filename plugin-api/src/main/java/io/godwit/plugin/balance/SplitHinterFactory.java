package io.godwit.plugin.balance;

import java.util.Map;

/**
 * Makes a {@link SplitHinter}. Found in the same way as a {@link RangeBalancerFactory};
 * {@code storeConfig.(key space).splitHinter} names it. Has a public constructor without parameters.
 */
public interface SplitHinterFactory {
    /** The name in the configuration: lower-case letters, digits and hyphens; unique. */
    String name();

    /** Every setting of this hinter, with its default. Any other setting is refused before {@link #create}. */
    default Map<String, String> defaults() {
        return Map.of();
    }

    /**
     * Called at start, to find wrong settings, and then for each leadership, on the thread of the hinter's calls. Must
     * be cheap and thread-safe.
     *
     * @param settings {@link #defaults} overlaid with the configured values
     * @throws IllegalArgumentException naming the setting and what was expected
     */
    SplitHinter create(Map<String, String> settings);
}
