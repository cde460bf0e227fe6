package io.godwit.plugin.throttle;

/**
 * Makes a {@link ResourceThrottler}. Found by {@link java.util.ServiceLoader} in the jars under {@code plugins/};
 * {@code tenantConfig.resourceThrottler} names it by {@link #name}, or by its class. Has a public constructor without
 * parameters.
 */
public interface ResourceThrottlerFactory {
    /** The name in the configuration; unique. */
    String name();

    /** Makes the throttler when a node starts. May block; an exception ends the start. */
    ResourceThrottler create() throws Exception;
}
