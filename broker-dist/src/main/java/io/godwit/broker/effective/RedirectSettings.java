package io.godwit.broker.effective;

import io.godwit.broker.redirect.ByConnections;
import io.godwit.broker.settings.cluster.RedirectSection;
import io.godwit.plugin.redirect.ClientBalancer;
import io.godwit.plugin.redirect.ClientBalancerFactory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Makes the balancer that redirects clients to other nodes, from the effective configuration. */
public final class RedirectSettings {
    private RedirectSettings() {}

    public static boolean isOn(BrokerConfig config) {
        return !config.redirects().balancer().isEmpty();
    }

    /**
     * Finds the balancer of {@link #open}, but creates none. Blocks.
     *
     * @throws IOException naming the missing plugin
     */
    public static void check(BrokerConfig config, PluginLoader plugins) throws IOException {
        if (isOn(config) && !isBuiltIn(config)) {
            find(config, plugins);
        }
    }

    /**
     * The configured balancer; only if {@link #isOn}. Blocks.
     *
     * @throws IOException naming the plugin that is missing or does not start
     */
    @SuppressWarnings("CatchingUnchecked") // outermost frame of the plugin
    public static ClientBalancer open(BrokerConfig config, PluginLoader plugins) throws IOException {
        RedirectSection section = config.redirects();
        if (isBuiltIn(config)) {
            return new ByConnections(
                    section.abovePercent(),
                    section.leastConnections(),
                    () -> ThreadLocalRandom.current().nextDouble());
        }
        ClientBalancerFactory factory = find(config, plugins);
        try {
            return factory.create();
        } catch (Exception | LinkageError e) {
            throw new IOException("the client balancer " + factory.name() + " does not start: " + e, e);
        }
    }

    private static boolean isBuiltIn(BrokerConfig config) {
        return config.redirects().balancer().equals(ByConnections.NAME);
    }

    private static ClientBalancerFactory find(BrokerConfig config, PluginLoader plugins) throws IOException {
        return plugins.find(
                "redirectConfig.balancer",
                config.redirects().balancer(),
                ClientBalancerFactory.class,
                ClientBalancerFactory::name,
                List.of(ByConnections.NAME));
    }

    /** Warnings for the operator, repeated at every start. */
    public static List<String> warnings(BrokerConfig config) {
        if (!isBuiltIn(config)) {
            return List.of();
        }
        if (!ClusterSettings.isClustered(config)) {
            return List.of("redirectConfig.balancer is " + ByConnections.NAME
                    + ", which has no effect on a node that is alone");
        }
        return config.redirects().serverReference().isEmpty()
                ? List.of("redirectConfig.serverReference is empty: other nodes send no clients here")
                : List.of();
    }
}
