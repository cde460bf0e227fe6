package io.godwit.broker.auth.http;

import io.godwit.broker.auth.remote.BoundedHttp;
import io.godwit.broker.auth.remote.ServiceUrl;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.AuthProviderFactory;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.context.PluginHealth;
import java.io.IOException;
import java.net.URI;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Creates the auth provider {@code http}. Named in META-INF/services. */
public final class HttpAuthFactory implements AuthProviderFactory, Plugin {
    private @Nullable PluginContext context;
    private @Nullable HttpSettings settings;
    private @Nullable BoundedHttp http;
    /** Volatile: set at the start, read by any thread. */
    private volatile @Nullable Service service;

    @Override
    public String name() {
        return "http";
    }

    @Override
    public void create(PluginContext given) {
        context = given;
        settings = HttpSettings.of(given.settings());
    }

    @Override
    public void start() throws IOException {
        PluginContext own = context;
        HttpSettings read = settings;
        if (own == null || read == null) {
            throw new IllegalStateException("http has no context");
        }
        BoundedHttp made = new BoundedHttp("plugin-http-client", read.tls().context(), read.timeout());
        http = made;
        service = new Service(
                read,
                made,
                System::nanoTime,
                () -> own.logger().log(System.Logger.Level.WARNING, "circuit of the auth service opened or closed"));
        Stream.of(read.connectUrl(), read.aclUrl())
                .filter(Objects::nonNull)
                .filter(ServiceUrl::isInTheClear)
                .forEach(url -> own.logger()
                        .log(
                                System.Logger.Level.WARNING,
                                "passwords go to the auth service over plain HTTP host=" + url.getHost()));
    }

    /** Answers come on threads of the HTTP client. */
    @Override
    public boolean isNonBlocking() {
        return true;
    }

    @Override
    public AuthProvider create() {
        HttpSettings read = settings;
        URI connectUrl = read == null ? null : read.connectUrl();
        if (read == null || connectUrl == null) {
            throw new IllegalStateException("http has no context");
        }
        return new HttpAuth(read, connectUrl, this::started, System::nanoTime);
    }

    private Service started() {
        Service started = service;
        if (started == null) {
            throw new IllegalStateException("http has not been started");
        }
        return started;
    }

    @Override
    public PluginHealth health() {
        Service started = service;
        return started == null || started.isWell()
                ? PluginHealth.UP
                : PluginHealth.down("the service does not answer, and is not asked for a while");
    }

    @Override
    public void stop() {
        if (http != null) {
            http.close();
        }
    }
}
