package io.godwit.broker.plugin.guard;

import io.godwit.mqtt.intercept.InterceptorStep;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Creates the interceptors of one plugin, with guards. */
public interface InterceptorSource {
    /**
     * The interceptors of a plugin.
     *
     * @param publish null if it does not intercept publishes
     * @param deliver null if it does not intercept deliveries
     */
    record Steps(
            @Nullable InterceptorStep publish, @Nullable InterceptorStep deliver) {}

    /**
     * Blocks for a limited time.
     *
     * @throws IOException naming the plugin and its exception
     */
    Steps make() throws IOException;
}
