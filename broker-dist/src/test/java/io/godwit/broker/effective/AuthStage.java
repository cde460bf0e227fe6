package io.godwit.broker.effective;

import io.godwit.broker.auth.AuthFileReports;
import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.plugin.PluginFiles;
import io.godwit.broker.plugin.PluginHost;
import io.godwit.broker.plugin.context.BrokerServices;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthExchange;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthStep;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.ExchangeRequest;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The auth providers of a configuration, opened and started as a broker does it, with their guards. */
final class AuthStage implements AutoCloseable {
    private final PluginHost host;
    private final PluginLoader loader;
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final AuthProvider auth;

    /** @param directory of the configuration, for files that it names */
    AuthStage(Path directory, String yaml) throws Exception {
        BrokerConfig config = ConfigLoader.load(Files.writeString(directory.resolve("test.yml"), yaml), Map.of());
        host = new PluginHost(
                new PluginFiles(config.plugins(), config.directory(), directory.resolve("data")),
                Duration.ofSeconds(60),
                EventListener.NONE,
                meters,
                System::nanoTime,
                BrokerServices.NONE,
                warnings -> {});
        loader = PluginLoader.open(directory.resolve("none"), host);
        auth = AuthProviders.open(config, loader, new AuthFileReports(EventListener.NONE, meters));
        loader.checkSections();
        host.start();
    }

    static ClientInfo client(@Nullable String user) {
        return new ClientInfo(TenantId.DEFAULT, new ClientId("c1"), user, "10.0.0.1:5000", 5);
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    ConnectResult connect(@Nullable String user, @Nullable String password) throws Exception {
        byte[] bytes = password == null ? null : password.getBytes(StandardCharsets.UTF_8);
        return await(auth.connect(new ConnectRequest(client(user), false, bytes, List.of())));
    }

    ConnectResult.Accepted accepted(@Nullable String user, @Nullable String password) throws Exception {
        ConnectResult result = connect(user, password);
        if (result instanceof ConnectResult.Accepted accepted) {
            return accepted;
        }
        throw new AssertionError("not accepted: " + result);
    }

    ConnectResult.Refused refused(@Nullable String user, @Nullable String password) throws Exception {
        ConnectResult result = connect(user, password);
        if (result instanceof ConnectResult.Refused refused) {
            return refused;
        }
        throw new AssertionError("not refused: " + result);
    }

    /** The first answer in an extended authentication. */
    AuthStep exchange(String method, String data) throws Exception {
        AuthExchange exchange = auth.exchange(new ExchangeRequest(method, client(null), List.of(), false));
        if (exchange == null) {
            throw new AssertionError("method not known: " + method);
        }
        try {
            return await(exchange.onData(data.getBytes(StandardCharsets.UTF_8)));
        } finally {
            exchange.close();
        }
    }

    AuthDecision publish(ConnectResult.Accepted as, String topic) throws Exception {
        return await(auth.publish(
                new PublishRequest(client(as.userName()), topic, Qos.AT_MOST_ONCE, false, false, as.grant())));
    }

    AuthDecision subscribe(ConnectResult.Accepted as, String filter) throws Exception {
        return await(auth.subscribe(new SubscribeRequest(
                client(as.userName()), TopicFilter.parse(filter).orElseThrow(), Qos.AT_MOST_ONCE, as.grant())));
    }

    @Override
    public void close() throws IOException {
        auth.close();
        host.close();
        loader.close();
    }
}
