package io.godwit.broker.plugin.instance;

import io.godwit.broker.config.key.EnumNames;

/**
 * The condition of a plugin in use.
 *
 * @param detail the plugin's own text about its health
 * @param isInline whether it is called on the broker's threads
 * @param calls the number of finished calls
 * @param millis the total time of these calls
 * @param faults how often it broke its contract
 * @param lastFault the last such fault; empty for none
 */
public record PluginState(
        String kind,
        String name,
        Health health,
        String detail,
        boolean isInline,
        long calls,
        long millis,
        long faults,
        String lastFault,
        CircuitBreaker.State circuit) {

    /** Whether it is well. */
    public enum Health {
        UP,
        DOWN,
        /** It has no life cycle, or has not been asked yet. */
        UNKNOWN
    }

    /** {@code closed}, {@code open} or {@code half-open}. */
    public String circuitName() {
        return EnumNames.of(circuit);
    }
}
