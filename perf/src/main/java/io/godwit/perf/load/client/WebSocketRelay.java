package io.godwit.perf.load.client;

import io.godwit.perf.load.measure.Errors;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Connects MQTT clients, which speak plain TCP only, to a broker's WebSocket: listens on a port of the loopback
 * interface, opens a WebSocket for each accepted connection, and pipes both ways at the pace of the slower side. When
 * one side ends, the other is ended after all data has been written to it.
 *
 * <p>There is one relay for each pair of broker and local address, with as many instances on the same port as there are
 * event loops; each instance is confined to its event loop. It ends with its {@link Vertx}.
 */
public final class WebSocketRelay extends VerticleBase {
    private static final String LOOPBACK = "127.0.0.1";
    /** Makes all instances that are deployed together listen on the same free port. */
    private static final int SHARED_FREE_PORT = -1;

    private final WebSocketClientOptions options;
    private final WebSocketConnectOptions request;
    private final String name;
    private final Errors errors;
    private @Nullable WebSocketClient webSockets;
    private @Nullable NetServer server;

    private WebSocketRelay(Endpoint broker, WebSocketClientOptions options, String path, Errors errors) {
        this.options = options;
        this.errors = errors;
        name = broker.toString();
        request = new WebSocketConnectOptions()
                .setHost(broker.host())
                .setPort(broker.port())
                .setURI(path)
                .addSubProtocol("mqtt")
                .setAllowOriginHeader(false); // only browsers need it
        request.setTimeout(ClientSettings.CONNECT_TIMEOUT_MILLIS);
    }

    /**
     * Completes with settings that lead through relays if the brokers are reached over WebSocket, else with {@code
     * clients} unchanged.
     *
     * @param loops event loops of {@code vertx}
     * @param errors receives the reasons why WebSockets could not be opened; the client then sees its connection closed
     */
    public static Future<ClientSettings> start(Vertx vertx, ClientSettings clients, int loops, Errors errors) {
        if (!clients.isOverWebSocket()) {
            return Future.succeededFuture(clients);
        }
        List<Future<Endpoint>> relays = new ArrayList<>();
        // In the order in which clients take brokers and local addresses; see ClientSettings.connectBy.
        int pairs =
                clients.brokers().size() * Math.max(1, clients.localAddresses().size());
        for (int i = 0; i < pairs; i++) {
            relays.add(start(vertx, clients.brokerOf(i), clients.webSocketOptions(i), loops, errors));
        }
        return Future.all(relays)
                .map(all -> clients.over(relays.stream().map(Future::result).toList()));
    }

    private static Future<Endpoint> start(
            Vertx vertx, Endpoint broker, WebSocketClientOptions options, int loops, Errors errors) {
        if (broker.webSocket() == null) {
            return Future.failedFuture(new IllegalArgumentException("no address of a WebSocket: " + broker));
        }
        String path = broker.webSocket().path();
        List<WebSocketRelay> instances = new ArrayList<>();
        return vertx.deployVerticle(
                        () -> {
                            WebSocketRelay relay = new WebSocketRelay(broker, options, path, errors);
                            instances.add(relay);
                            return relay;
                        },
                        new DeploymentOptions().setInstances(loops))
                .map(deployed -> new Endpoint(LOOPBACK, instances.get(0).port()));
    }

    @Override
    public Future<?> start() {
        // Data that a client sends while its WebSocket is being closed cannot be written, which is reported here.
        context.exceptionHandler(thrown -> errors.add(name, thrown));
        webSockets = vertx.createWebSocketClient(options);
        server = vertx.createNetServer();
        return server.connectHandler(this::relay).listen(SHARED_FREE_PORT, LOOPBACK);
    }

    private int port() {
        if (server == null) {
            throw new IllegalStateException("not deployed yet");
        }
        return server.actualPort();
    }

    private void relay(NetSocket client) {
        if (webSockets == null) {
            throw new IllegalStateException("not deployed yet");
        }
        client.pause(); // the CONNECT waits until the WebSocket is open
        webSockets
                .connect(request)
                .onSuccess(broker -> {
                    client.pipeTo(broker);
                    broker.pipeTo(client);
                })
                .onFailure(cause -> {
                    errors.add(name, cause); // first, so that it is known when the client notices
                    client.close();
                });
    }
}
