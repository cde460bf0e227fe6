package io.godwit.broker.plugin.guard;

import io.godwit.broker.plugin.instance.HostedPlugin;
import io.godwit.broker.plugin.instance.PluginCallException;
import io.godwit.mqtt.intercept.InterceptorStep;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.PluginFault;
import io.godwit.plugin.intercept.Interception;
import io.godwit.plugin.intercept.UserPropertiesCustomizer;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** An interceptor of a plugin, behind {@link GuardedCalls}: a missing answer is a failed future. Thread-safe. */
final class GuardedInterceptor implements InterceptorStep {
    private final String what;
    private final HostedPlugin plugin;
    private final GuardedCalls calls;
    private final BiFunction<ClientInfo, Message, @Nullable Interception> call;

    /**
     * @param what for messages
     * @param calls of the plugin
     */
    GuardedInterceptor(
            String what,
            HostedPlugin plugin,
            GuardedCalls calls,
            BiFunction<ClientInfo, Message, @Nullable Interception> call) {
        this.what = what;
        this.plugin = plugin;
        this.calls = calls;
        this.call = call;
    }

    /** Adapts a call that answers with user properties. */
    static BiFunction<ClientInfo, Message, @Nullable Interception> ofProperties(
            BiFunction<ClientInfo, Message, @Nullable List<UserProperty>> properties) {
        return (client, message) -> {
            List<UserProperty> before = message.properties().userProperties();
            List<UserProperty> after = properties.apply(client, message);
            if (after == null) {
                return null;
            }
            return after.equals(before)
                    ? Interception.UNCHANGED
                    : new Interception.Changed(
                            message.withProperties(message.properties().withUserProperties(after)));
        };
    }

    /** Whether a customizer overrides the method; otherwise it is not called for it. */
    static boolean has(UserPropertiesCustomizer customizer, String method) {
        try {
            return customizer
                            .getClass()
                            .getMethod(method, ClientInfo.class, Message.class)
                            .getDeclaringClass()
                    != UserPropertiesCustomizer.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("the interface has it", e);
        }
    }

    @Override
    public String plugin() {
        return plugin.name();
    }

    @Override
    public CompletableFuture<Interception> ask(ClientInfo client, Message message) {
        return calls.ask(what, plugin.calls(), () -> CompletableFuture.completedFuture(call.apply(client, message)));
    }

    @Override
    public boolean wasAsked(Throwable failure) {
        return !(failure instanceof PluginCallException.NotMade);
    }

    @Override
    public void invalid(String detail) {
        plugin.reports().fault(PluginFault.INVALID_ANSWER, what + ": " + detail);
    }
}
