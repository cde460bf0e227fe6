package io.godwit.plugin.balance;

import java.util.Map;

/**
 * Makes a {@link RangeBalancer}. Found by {@link java.util.ServiceLoader} in the jars under {@code plugins/}, or named
 * by its class; {@code storeConfig.(key space).balancers} lists the balancers that are asked, in order. Has a public
 * constructor without parameters.
 */
public interface RangeBalancerFactory {
    /** The name in the configuration: lower-case letters, digits and hyphens; unique. */
    String name();

    /** Every setting of this balancer, with its default. Any other setting is refused before {@link #create}. */
    default Map<String, String> defaults() {
        return Map.of();
    }

    /**
     * Called at start, and again whenever the balancer is tuned.
     *
     * @param settings {@link #defaults} overlaid with the configured values
     * @throws IllegalArgumentException naming the setting and what was expected
     */
    RangeBalancer create(Map<String, String> settings);
}
