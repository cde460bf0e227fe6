package io.godwit.mqtt.intercept;

import org.jspecify.annotations.Nullable;

/**
 * The chains of a node.
 *
 * @param publish null when there is none, and so for the next
 */
public record Interceptors(
        @Nullable InterceptorChain publish, @Nullable InterceptorChain deliver) {
    /** For a node without. */
    public static final Interceptors NONE = new Interceptors(null, null);
}
