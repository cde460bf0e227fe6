package io.godwit.broker.effective;

import io.godwit.plugin.auth.AuthProviderFactory;
import io.godwit.plugin.balance.RangeBalancerFactory;
import io.godwit.plugin.balance.SplitHinterFactory;
import io.godwit.plugin.event.EventListenerFactory;
import io.godwit.plugin.intercept.DeliverInterceptorFactory;
import io.godwit.plugin.intercept.PublishInterceptorFactory;
import io.godwit.plugin.intercept.UserPropertiesCustomizerFactory;
import io.godwit.plugin.redirect.ClientBalancerFactory;
import io.godwit.plugin.sub.SubBrokerFactory;
import io.godwit.plugin.tenant.TenantSettingsProviderFactory;
import io.godwit.plugin.throttle.ResourceThrottlerFactory;
import java.util.List;
import java.util.function.Function;

/**
 * A kind of plugins, with the key of the configuration that names those in use.
 *
 * @param nameOf a factory's own name
 */
record NamedPlugins<F>(String key, Class<F> type, Function<F, String> nameOf) {
    static final List<NamedPlugins<?>> ALL = List.of(
            new NamedPlugins<>("authConfig.providers", AuthProviderFactory.class, AuthProviderFactory::name),
            new NamedPlugins<>("pluginConfig.eventListeners", EventListenerFactory.class, EventListenerFactory::name),
            new NamedPlugins<>(
                    "pluginConfig.publishInterceptors",
                    PublishInterceptorFactory.class,
                    PublishInterceptorFactory::name),
            new NamedPlugins<>(
                    "pluginConfig.deliverInterceptors",
                    DeliverInterceptorFactory.class,
                    DeliverInterceptorFactory::name),
            new NamedPlugins<>(
                    "pluginConfig.userProperties",
                    UserPropertiesCustomizerFactory.class,
                    UserPropertiesCustomizerFactory::name),
            new NamedPlugins<>("redirectConfig.balancer", ClientBalancerFactory.class, ClientBalancerFactory::name),
            new NamedPlugins<>("subBrokerConfig.plugins", SubBrokerFactory.class, SubBrokerFactory::name),
            new NamedPlugins<>(
                    "tenantConfig.settingsProvider",
                    TenantSettingsProviderFactory.class,
                    TenantSettingsProviderFactory::name),
            new NamedPlugins<>(
                    "tenantConfig.resourceThrottler", ResourceThrottlerFactory.class, ResourceThrottlerFactory::name),
            new NamedPlugins<>(
                    "balancers of a store in storeConfig", RangeBalancerFactory.class, RangeBalancerFactory::name),
            new NamedPlugins<>(
                    "splitHinter of a store in storeConfig", SplitHinterFactory.class, SplitHinterFactory::name));
}
