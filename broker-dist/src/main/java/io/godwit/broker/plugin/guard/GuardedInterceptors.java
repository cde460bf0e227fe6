package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.mqtt.intercept.InterceptorStep;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.intercept.DeliverInterceptor;
import io.godwit.plugin.intercept.DeliverInterceptorFactory;
import io.godwit.plugin.intercept.Interception;
import io.godwit.plugin.intercept.PublishInterceptor;
import io.godwit.plugin.intercept.PublishInterceptorFactory;
import io.godwit.plugin.intercept.UserPropertiesCustomizer;
import io.godwit.plugin.intercept.UserPropertiesCustomizerFactory;
import io.godwit.plugin.message.Message;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Factories of interceptors. {@code create} returns the plugin's interceptor without a guard, within a time limit; the
 * broker uses the guarded steps of {@code make}.
 */
public final class GuardedInterceptors {
    private GuardedInterceptors() {}

    public record OfPublish(PublishInterceptorFactory factory, String name, HostedPlugin plugin, LongSupplier nanoClock)
            implements PublishInterceptorFactory, InterceptorSource {
        @Override
        public PublishInterceptor create() throws IOException {
            return made(plugin, factory::create);
        }

        @Override
        public Steps make() throws IOException {
            PublishInterceptor made = create();
            return new Steps(step("onPublish", plugin, nanoClock, made::onPublish), null);
        }
    }

    public record OfDeliver(DeliverInterceptorFactory factory, String name, HostedPlugin plugin, LongSupplier nanoClock)
            implements DeliverInterceptorFactory, InterceptorSource {
        @Override
        public DeliverInterceptor create() throws IOException {
            return made(plugin, factory::create);
        }

        @Override
        public Steps make() throws IOException {
            DeliverInterceptor made = create();
            return new Steps(null, step("onDeliver", plugin, nanoClock, made::onDeliver));
        }
    }

    public record OfProperties(
            UserPropertiesCustomizerFactory factory, String name, HostedPlugin plugin, LongSupplier nanoClock)
            implements UserPropertiesCustomizerFactory, InterceptorSource {
        @Override
        public UserPropertiesCustomizer create() throws IOException {
            return made(plugin, factory::create);
        }

        @Override
        public Steps make() throws IOException {
            UserPropertiesCustomizer made = create();
            return new Steps(
                    GuardedInterceptor.has(made, "onPublish")
                            ? step("onPublish", plugin, nanoClock, GuardedInterceptor.ofProperties(made::onPublish))
                            : null,
                    GuardedInterceptor.has(made, "onDeliver")
                            ? step("onDeliver", plugin, nanoClock, GuardedInterceptor.ofProperties(made::onDeliver))
                            : null);
        }
    }

    private static <T> T made(HostedPlugin plugin, Callable<T> create) throws IOException {
        T made = plugin.bounded("create", plugin.limits().start(), create);
        if (made == null) {
            throw new IOException(plugin.label() + " does not create: null instead of an interceptor");
        }
        return made;
    }

    private static InterceptorStep step(
            String what,
            HostedPlugin plugin,
            LongSupplier nanoClock,
            BiFunction<ClientInfo, Message, @Nullable Interception> call) {
        long timeoutMillis = plugin.limits().message().toMillis();
        return new GuardedInterceptor(
                what, plugin, new GuardedCalls(plugin, nanoClock, () -> timeoutMillis, HostedPlugin.MAX_CALLS), call);
    }
}
