package io.godwit.broker.plugin;

import io.godwit.broker.config.key.Given;
import io.godwit.broker.config.key.OpenSection;
import io.godwit.broker.plugin.context.BrokerServices;
import io.godwit.broker.plugin.guard.GuardedAuth;
import io.godwit.broker.plugin.instance.CallLimits;
import io.godwit.broker.plugin.instance.PluginHome;
import io.godwit.broker.plugin.instance.PluginState;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthProviderFactory;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.PluginFault;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A host of plugins with short limits, and the events that it raises. */
public final class PluginStage implements AutoCloseable {
    public static final ClientInfo CLIENT =
            new ClientInfo(TenantId.DEFAULT, new ClientId("c"), "u", "10.0.0.1:5000", 5);
    public static final ConnectRequest CONNECT = new ConnectRequest(CLIENT, false, null, List.of());
    public static final ConnectResult ACCEPTED = ConnectResult.Accepted.as(CLIENT);
    static final Duration TIMEOUT = Duration.ofMillis(300);

    public final List<BrokerEvent.PluginFailed> events = new CopyOnWriteArrayList<>();
    public final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    public final ClassLoader classes =
            new URLClassLoader("a-plugin", new URL[0], getClass().getClassLoader());
    public volatile List<String> warnings = List.of();
    private final PluginHost host;
    private boolean isStarted;

    public PluginStage(Path directory, Map<String, OpenSection> sections) {
        this(directory, sections, BrokerServices.NONE);
    }

    PluginStage(Path directory, Map<String, OpenSection> sections, BrokerServices services) {
        host = new PluginHost(
                new PluginFiles(sections, directory, directory.resolve("data/plugins")),
                TIMEOUT,
                new EventListener() {
                    @Override
                    public boolean isListening(Class<? extends BrokerEvent> kind) {
                        return true;
                    }

                    @Override
                    public void onEvent(BrokerEvent event) {
                        events.add((BrokerEvent.PluginFailed) event);
                    }
                },
                meters,
                System::nanoTime,
                services,
                now -> warnings = now,
                new CallLimits(
                        Duration.ofMillis(500),
                        Duration.ofMillis(500),
                        Duration.ofMillis(500),
                        Duration.ofMillis(300),
                        Duration.ofMillis(500),
                        Duration.ofMillis(500)));
    }

    public static OpenSection section(String name, String... keysAndValues) {
        Map<String, Given> values = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            values.put(keysAndValues[i], new Given(keysAndValues[i + 1], "line " + (i + 1)));
        }
        return new OpenSection("plugins." + name, values);
    }

    public PluginHost host() {
        return host;
    }

    public PluginHome home() {
        return home("a.jar");
    }

    PluginHome home(String source) {
        return new PluginHome(source, classes);
    }

    /** A provider of a factory with a life cycle. */
    public GuardedAuth auth(AuthProvider provider, boolean isNonBlocking) throws Exception {
        return auth(new Factory("acme", provider, isNonBlocking));
    }

    /** A provider of a factory without a context. */
    public GuardedAuth oldAuth(AuthProvider provider) throws Exception {
        return auth(new OldFactory("acme", provider));
    }

    public GuardedAuth auth(AuthProviderFactory factory) throws Exception {
        AuthProviderFactory guarded =
                host.adopt(AuthProviderFactory.class, "auth-provider", factory.name(), factory, home());
        if (!isStarted) {
            isStarted = true;
            host.start();
        }
        return (GuardedAuth) guarded.create();
    }

    public PluginState state() {
        return host.states("a.jar").get(0);
    }

    public boolean hasTold(PluginFault fault) {
        return events.stream()
                .anyMatch(event -> event.fault() == fault && event.plugin().equals("acme"));
    }

    public double counted(String fault) {
        return meters.get("godwit.plugins.faults")
                .tags("plugin", "acme", "fault", fault)
                .counter()
                .count();
    }

    @Override
    public void close() {
        host.close();
    }

    record OldFactory(String name, AuthProvider provider) implements AuthProviderFactory {
        @Override
        public AuthProvider create() {
            return provider;
        }
    }

    public record Factory(String name, AuthProvider provider, boolean isNonBlocking)
            implements AuthProviderFactory, Plugin {
        @Override
        public AuthProvider create() {
            return provider;
        }
    }

    /** Answers connects as the test says, and allows everything else. */
    public interface Connects extends AuthProvider {
        @Override
        CompletableFuture<ConnectResult> connect(ConnectRequest request);

        @Override
        default CompletableFuture<AuthDecision> publish(PublishRequest request) {
            return CompletableFuture.completedFuture(AuthDecision.ALLOWED);
        }

        @Override
        default CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
            return CompletableFuture.completedFuture(AuthDecision.ALLOWED);
        }
    }

    static AuthProviderFactory old(String name) {
        Connects provider = request -> CompletableFuture.completedFuture(ACCEPTED);
        return new OldFactory(name, provider);
    }
}
