package io.godwit.broker;

import io.godwit.broker.redirect.ByConnections;
import io.godwit.broker.settings.RedirectSection;
import io.godwit.plugin.redirect.ClientBalancer;
import io.godwit.plugin.redirect.ClientBalancerFactory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Which clients are told to use another node, out of the effective configuration. */
final class RedirectSettings {
    private RedirectSettings() {}

    static boolean isOn(BrokerConfig config) {
        return !config.redirects().balancer().isEmpty();
    }

    /**
     * Finds what {@link #open} would, and makes nothing. Blocks.
     *
     * @throws IOException naming what is wrong
     */
    static void check(BrokerConfig config, PluginLoader plugins) throws IOException {
        if (isOn(config) && !isBuiltIn(config)) {
            find(config, plugins);
        }
    }

    /**
     * The balancer that is configured; there is one. Blocks.
     *
     * @throws IOException naming what is wrong
     */
    @SuppressWarnings("CatchingUnchecked") // outermost frame of the plugin
    static ClientBalancer open(BrokerConfig config, PluginLoader plugins) throws IOException {
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

    /** What an operator should know at every start. */
    static List<String> warnings(BrokerConfig config) {
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
