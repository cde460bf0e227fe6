package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.context.Decisions;
import io.godwit.broker.plugin.instance.BoundedCall;
import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.broker.plugin.instance.PluginCallException;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthProviderFactory;
import io.godwit.plugin.balance.RangeBalancer;
import io.godwit.plugin.balance.RangeBalancerFactory;
import io.godwit.plugin.balance.SplitHinter;
import io.godwit.plugin.balance.SplitHinterFactory;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.EventListenerFactory;
import io.godwit.plugin.redirect.ClientBalancer;
import io.godwit.plugin.redirect.ClientBalancerFactory;
import io.godwit.plugin.sub.SubBroker;
import io.godwit.plugin.sub.SubBrokerFactory;
import io.godwit.plugin.tenant.TenantChanges;
import io.godwit.plugin.tenant.TenantSettingsProvider;
import io.godwit.plugin.tenant.TenantSettingsProviderFactory;
import io.godwit.plugin.throttle.ResourceThrottler;
import io.godwit.plugin.throttle.ResourceThrottlerFactory;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;

/** Factories of plugins whose products are wrapped in {@code Guarded...} classes. */
public final class GuardedFactories {
    private GuardedFactories() {}

    /** Blocks in {@code create}. */
    public record OfAuth(
            AuthProviderFactory factory,
            String name,
            HostedPlugin plugin,
            Decisions decisions,
            LongSupplier nanoClock,
            LongSupplier timeoutMillis)
            implements AuthProviderFactory {
        @Override
        public AuthProvider create() throws IOException {
            AuthProvider made = plugin.bounded("create", plugin.limits().start(), factory::create);
            if (made == null) {
                throw new IOException(plugin.label() + " does not create: null instead of a provider");
            }
            return GuardedAuth.of(made, plugin, decisions, nanoClock, timeoutMillis);
        }
    }

    /** Blocks in {@code create}. */
    public record OfTenantSettings(
            TenantSettingsProviderFactory factory,
            String name,
            HostedPlugin plugin,
            LongSupplier nanoClock,
            LongSupplier timeoutMillis)
            implements TenantSettingsProviderFactory {
        @Override
        public TenantSettingsProvider create(TenantChanges changes) throws IOException {
            TenantSettingsProvider made =
                    plugin.bounded("create", plugin.limits().start(), () -> factory.create(changes));
            if (made == null) {
                throw new IOException(plugin.label() + " does not create: null instead of a provider");
            }
            return new GuardedTenantSettings(made, plugin, new GuardedCalls(plugin, nanoClock, timeoutMillis));
        }
    }

    /** Blocks in {@code create}. */
    public record OfListeners(
            EventListenerFactory factory,
            String name,
            HostedPlugin plugin,
            LongSupplier nanoClock,
            MeterRegistry meters)
            implements EventListenerFactory {
        @Override
        public EventListener create() throws IOException {
            EventListener made = plugin.bounded("create", plugin.limits().start(), factory::create);
            if (made == null) {
                throw new IOException(plugin.label() + " does not create: null instead of a listener");
            }
            return GuardedListener.of(made, plugin, nanoClock, meters);
        }
    }

    /** Blocks in {@code create}. */
    public record OfClientBalancers(
            ClientBalancerFactory factory,
            String name,
            HostedPlugin plugin,
            LongSupplier nanoClock,
            LongSupplier timeoutMillis)
            implements ClientBalancerFactory {
        @Override
        public ClientBalancer create() throws IOException {
            ClientBalancer made = plugin.bounded("create", plugin.limits().start(), factory::create);
            if (made == null) {
                throw new IOException(plugin.label() + " does not create: null instead of a balancer");
            }
            return new GuardedClientBalancer(made, plugin, new GuardedCalls(plugin, nanoClock, timeoutMillis));
        }
    }

    /** Blocks in {@code create}. */
    public record OfSubBrokers(
            SubBrokerFactory factory,
            String name,
            HostedPlugin plugin,
            LongSupplier nanoClock,
            LongSupplier timeoutMillis)
            implements SubBrokerFactory {
        @Override
        public SubBroker create() throws IOException {
            SubBroker made = plugin.bounded("create", plugin.limits().start(), factory::create);
            if (made == null) {
                throw new IOException(plugin.label() + " does not create: null instead of a SubBroker");
            }
            return GuardedSubBroker.of(made, plugin, new GuardedCalls(plugin, nanoClock, timeoutMillis));
        }
    }

    /** Blocks in {@code create}. */
    public record OfThrottlers(
            ResourceThrottlerFactory factory,
            String name,
            HostedPlugin plugin,
            LongSupplier nanoClock,
            LongSupplier timeoutMillis)
            implements ResourceThrottlerFactory {
        @Override
        public ResourceThrottler create() throws IOException {
            ResourceThrottler made = plugin.bounded("create", plugin.limits().start(), factory::create);
            if (made == null) {
                throw new IOException(plugin.label() + " does not create: null instead of a throttler");
            }
            return new GuardedThrottler(made, plugin, new GuardedCalls(plugin, nanoClock, timeoutMillis));
        }
    }

    /** @param defaults the factory's defaults at the start */
    public record OfBalancers(
            RangeBalancerFactory factory,
            String name,
            Map<String, String> defaults,
            HostedPlugin plugin,
            LongSupplier nanoClock)
            implements RangeBalancerFactory {
        @Override
        public RangeBalancer create(Map<String, String> settings) {
            return new GuardedBalancer(make(plugin, () -> factory.create(settings), "balancer"), plugin, nanoClock);
        }
    }

    /**
     * Creates hinters on range executors, which must not wait: the plugin's own hinter is created on its first use.
     * Only settings that are new are tried at once, which happens at the start.
     */
    public record OfHinters(
            SplitHinterFactory factory,
            String name,
            Map<String, String> defaults,
            HostedPlugin plugin,
            LongSupplier nanoClock,
            Set<Map<String, String>> valid)
            implements SplitHinterFactory {
        public OfHinters(
                SplitHinterFactory factory,
                String name,
                Map<String, String> defaults,
                HostedPlugin plugin,
                LongSupplier nanoClock) {
            this(factory, name, defaults, plugin, nanoClock, ConcurrentHashMap.newKeySet());
        }

        @Override
        public SplitHinter create(Map<String, String> settings) {
            if (!valid.contains(settings)) {
                make(plugin, () -> factory.create(settings), "split hinter");
                valid.add(Map.copyOf(settings)); // bounded: one entry per key space
            }
            return new GuardedHinter(() -> factory.create(settings), plugin, nanoClock);
        }
    }

    /** Blocks. A refusal of settings is thrown unchanged. */
    private static <T> T make(HostedPlugin plugin, Callable<T> call, String what) {
        try {
            T made = BoundedCall.run(
                    "plugin-" + plugin.name() + "-create",
                    plugin.classes(),
                    plugin.limits().make(),
                    call);
            if (made == null) {
                throw new IllegalArgumentException(plugin.label() + ": null instead of a " + what);
            }
            return made;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IllegalArgumentException refused) {
                throw refused;
            }
            throw new IllegalArgumentException(plugin.label() + " makes no " + what + ": " + e.getCause(), e);
        } catch (PluginCallException e) {
            throw new IllegalArgumentException(plugin.label() + " makes no " + what + ": it " + e.getMessage(), e);
        }
    }
}
