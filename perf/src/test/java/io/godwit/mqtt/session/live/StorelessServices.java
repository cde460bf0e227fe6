package io.godwit.mqtt.session.live;

import io.godwit.dist.DistConfig;
import io.godwit.dist.DistWorker;
import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.DistClient;
import io.godwit.mqtt.auth.AuthConfig;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionStores;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.AuthProvider;
import io.godwit.plugin.auth.ConnectRequest;
import io.godwit.plugin.auth.ConnectResult;
import io.godwit.plugin.auth.PublishRequest;
import io.godwit.plugin.auth.SubscribeRequest;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The services of live sessions, without stores and with access for everybody. */
final class StorelessServices {
    private StorelessServices() {}

    static DistClient dist(LiveFanOut live) {
        return new DistWorker(
                        DistConfig.DEFAULT,
                        () -> {
                            throw new IllegalStateException("nothing is stored");
                        },
                        live,
                        delivery -> {
                            throw new IllegalStateException("nobody is stored");
                        },
                        Delayer.NONE,
                        event -> {},
                        new SimpleMeterRegistry())
                .client();
    }

    @SuppressWarnings("NullAway") // no store is ever asked
    static SessionServices of(DistClient dist, MqttReports reports) {
        AuthProvider allowAll = new AuthProvider() {
            @Override
            public Set<AuthCheck> checks() {
                return Set.of();
            }

            @Override
            public CompletableFuture<ConnectResult> connect(ConnectRequest request) {
                throw new IllegalStateException("not asked for");
            }

            @Override
            public CompletableFuture<AuthDecision> publish(PublishRequest request) {
                throw new IllegalStateException("not asked for");
            }

            @Override
            public CompletableFuture<AuthDecision> subscribe(SubscribeRequest request) {
                throw new IllegalStateException("not asked for");
            }
        };
        return new SessionServices(
                SessionConfig.DEFAULTS,
                new SessionStores(dist, null, null),
                new Authorizer(allowAll, AuthConfig.DEFAULTS, reports),
                reports,
                System::currentTimeMillis,
                1);
    }
}
