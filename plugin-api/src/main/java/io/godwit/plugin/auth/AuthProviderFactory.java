package io.godwit.plugin.auth;

/**
 * Makes an {@link AuthProvider}. Found by {@link java.util.ServiceLoader} in the jars under {@code plugins/};
 * {@code authConfig.provider} names it by {@link #name}, or by its class. Has a public constructor without parameters.
 */
public interface AuthProviderFactory {
    /** What the configuration calls it; unique, and none of those that come with the broker. */
    String name();

    /** Makes the provider of a starting node. May block; what it throws ends the start. */
    AuthProvider create() throws Exception;
}
