package io.godwit.broker.plugin;

import io.godwit.broker.config.EnumNames;

/**
 * How a plugin that is in use does.
 *
 * @param detail what it says of its health
 * @param isInline whether it is called on the broker's threads
 * @param calls that have ended
 * @param millis that they took, together
 * @param faults how often it did what it must not
 * @param lastFault what that was the last time; empty for never
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
        /** It does not say: made before there was a life cycle, or not asked yet. */
        UNKNOWN
    }

    /** {@code closed}, {@code open} or {@code half-open}. */
    public String circuitName() {
        return EnumNames.of(circuit);
    }
}
