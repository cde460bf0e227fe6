package io.godwit.plugin.throttle;

/**
 * Makes a {@link ResourceThrottler}. Found by {@link java.util.ServiceLoader} in the jars under {@code plugins/};
 * {@code tenantConfig.resourceThrottler} names it by {@link #name}, or by its class. Has a public constructor without
 * parameters.
 */
public interface ResourceThrottlerFactory {
    /** What the configuration calls it; unique. */
    String name();

    /** Makes the throttler of a starting node. May block; what it throws ends the start. */
    ResourceThrottler create() throws Exception;
}
