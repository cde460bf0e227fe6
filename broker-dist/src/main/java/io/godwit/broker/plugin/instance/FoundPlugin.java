package io.godwit.broker.plugin.instance;

import io.godwit.plugin.context.Plugin;
import org.jspecify.annotations.Nullable;

/**
 * A plugin as it was found: the factory of something that the broker uses.
 *
 * @param kind of what it makes, such as {@code auth-provider}
 * @param name its own name
 * @param own the factory, if it has a life cycle and a context; otherwise null
 */
public record FoundPlugin(
        String kind, String name, PluginHome home, @Nullable Plugin own) {}
