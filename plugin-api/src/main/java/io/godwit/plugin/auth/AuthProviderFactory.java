package io.godwit.plugin.auth;

/**
 * Makes an {@link AuthProvider}. Found by {@link java.util.ServiceLoader} in the jars under {@code plugins/};
 * {@code authConfig.provider} names it by {@link #name}, or by its class. Has a public constructor without parameters.
 */
public interface AuthProviderFactory {
    /** The name in the configuration; unique, and different from the names of the built-in providers. */
    String name();

    /** Makes the provider when a node starts. May block; an exception ends the start. */
    AuthProvider create() throws Exception;
}
