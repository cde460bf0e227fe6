package io.godwit.mqtt.intercept;

import org.jspecify.annotations.Nullable;

/**
 * The chains of a node.
 *
 * @param publish null for none
 * @param deliver null for none
 */
public record Interceptors(
        @Nullable InterceptorChain publish, @Nullable InterceptorChain deliver) {
    /** For a node without interceptors. */
    public static final Interceptors NONE = new Interceptors(null, null);
}
