package io.godwit.broker.effective;

import io.godwit.broker.plugin.guard.InterceptorSource;
import io.godwit.broker.settings.PluginSection;
import io.godwit.mqtt.intercept.InterceptorChain;
import io.godwit.mqtt.intercept.InterceptorStep;
import io.godwit.mqtt.intercept.Interceptors;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.EventListenerFactory;
import io.godwit.plugin.intercept.DeliverInterceptorFactory;
import io.godwit.plugin.intercept.PublishInterceptorFactory;
import io.godwit.plugin.intercept.UserPropertiesCustomizerFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * The plugins that {@code pluginConfig} names, in its order. Used by the thread that starts the broker.
 *
 * @param listeners guarded if the loader has a host
 * @param interceptors factories of interceptors, in the order of their chains; guarded likewise
 */
public record UsedPlugins(List<EventListenerFactory> listeners, List<Object> interceptors) {
    private static final int MAX_OF_A_KIND = 16;

    public UsedPlugins {
        listeners = List.copyOf(listeners);
        interceptors = List.copyOf(interceptors);
    }

    /**
     * Finds the plugins, but creates nothing. Blocks.
     *
     * @throws IOException naming each plugin that is missing, named twice or has wrong settings
     */
    public static UsedPlugins find(BrokerConfig config, PluginLoader plugins) throws IOException {
        PluginSection named = config.usedPlugins();
        Mistakes mistakes = new Mistakes();
        List<EventListenerFactory> listeners = find(
                "eventListeners",
                named.eventListeners(),
                EventListenerFactory.class,
                EventListenerFactory::name,
                plugins,
                mistakes);
        List<Object> interceptors = new ArrayList<>(find(
                "publishInterceptors",
                named.publishInterceptors(),
                PublishInterceptorFactory.class,
                PublishInterceptorFactory::name,
                plugins,
                mistakes));
        interceptors.addAll(find(
                "deliverInterceptors",
                named.deliverInterceptors(),
                DeliverInterceptorFactory.class,
                DeliverInterceptorFactory::name,
                plugins,
                mistakes));
        interceptors.addAll(find(
                "userProperties",
                named.userProperties(),
                UserPropertiesCustomizerFactory.class,
                UserPropertiesCustomizerFactory::name,
                plugins,
                mistakes));
        mistakes.refuse();
        return new UsedPlugins(listeners, interceptors);
    }

    private static <F> List<F> find(
            String keyword,
            List<String> names,
            Class<F> type,
            Function<F, String> nameOf,
            PluginLoader plugins,
            Mistakes mistakes) {
        String key = "pluginConfig." + keyword;
        if (names.size() > MAX_OF_A_KIND) {
            mistakes.add(key + ": must name at most " + MAX_OF_A_KIND + ", was " + names.size());
        }
        List<F> found = new ArrayList<>();
        Set<String> before = new HashSet<>();
        for (String name : names) {
            if (before.add(name)) {
                mistakes.check(() -> found.add(plugins.find(key, name, type, nameOf, List.of())));
            } else {
                mistakes.add(key + ": names " + name + " twice");
            }
        }
        return found;
    }

    /**
     * The chains of interceptors of this node. Blocks.
     *
     * @throws IOException naming a plugin that does not start
     */
    public Interceptors makeInterceptors() throws IOException {
        List<InterceptorStep> publish = new ArrayList<>();
        List<InterceptorStep> deliver = new ArrayList<>();
        for (Object factory : interceptors) {
            if (!(factory instanceof InterceptorSource source)) {
                throw new IllegalStateException("without a guard: " + factory.getClass());
            }
            InterceptorSource.Steps made = source.make();
            if (made.publish() != null) {
                publish.add(made.publish());
            }
            if (made.deliver() != null) {
                deliver.add(made.deliver());
            }
        }
        return new Interceptors(InterceptorChain.of(publish), InterceptorChain.of(deliver));
    }

    /**
     * The event listeners. Blocks.
     *
     * @throws IOException naming a plugin that does not start
     */
    public List<EventListener> makeListeners() throws IOException {
        List<EventListener> made = new ArrayList<>();
        for (EventListenerFactory factory : listeners) {
            try {
                made.add(factory.create());
            } catch (IOException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException("the event listener " + factory.name() + " does not start: " + e, e);
            }
        }
        return made;
    }
}
