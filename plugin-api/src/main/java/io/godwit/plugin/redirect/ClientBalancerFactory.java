package io.godwit.plugin.redirect;

/**
 * Makes a {@link ClientBalancer}. Found by {@link java.util.ServiceLoader} in the jars under {@code plugins/};
 * {@code redirectConfig.balancer} names it by {@link #name}, or by its class. Has a public constructor without
 * parameters.
 */
public interface ClientBalancerFactory {
    /** The name in the configuration; unique, and not the built-in {@code by-connections}. */
    String name();

    /** Makes the balancer when a node starts. May block; an exception ends the start. */
    ClientBalancer create() throws Exception;
}
