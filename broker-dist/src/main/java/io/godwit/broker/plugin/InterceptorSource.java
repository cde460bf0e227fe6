package io.godwit.broker.plugin;

import io.godwit.mqtt.intercept.InterceptorStep;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Makes the interceptors of one plugin, with guards in front of them. */
public interface InterceptorSource {
    /**
     * What it has.
     *
     * @param publish null when it sees no publishes
     * @param deliver null when it sees no deliveries
     */
    record Steps(
            @Nullable InterceptorStep publish, @Nullable InterceptorStep deliver) {}

    /**
     * Blocks, but not for ever.
     *
     * @throws IOException naming the plugin, and what it threw
     */
    Steps make() throws IOException;
}
