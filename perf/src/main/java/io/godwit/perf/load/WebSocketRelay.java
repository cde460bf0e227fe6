package io.godwit.perf.load;

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
 * Brings MQTT clients, which speak TCP alone, to a broker's WebSocket: listens on a port of the loopback interface,
 * opens a WebSocket for each connection that it accepts, and pipes both ways, at the pace of the slower side. When one
 * side ends the other is ended, after what was written to it.
 *
 * <p>There is one for each address of a broker and each local address, and of each as many instances on the same port
 * as event loops; an instance is confined to its own. It ends with its {@link Vertx}.
 */
final class WebSocketRelay extends VerticleBase {
    private static final String LOOPBACK = "127.0.0.1";
    /** Of any number of instances that are deployed together: a free port, the same for all. */
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
                .setAllowOriginHeader(false); // that is for browsers
        request.setTimeout(ClientSettings.CONNECT_TIMEOUT_MILLIS);
    }

    /**
     * Completes with settings that lead over relays where the brokers' addresses are WebSockets', and with
     * {@code clients} as they are where not.
     *
     * @param loops event loops of {@code vertx}
     * @param errors gets why WebSockets could not be opened; the client then sees its connection closed
     */
    static Future<ClientSettings> start(Vertx vertx, ClientSettings clients, int loops, Errors errors) {
        if (!clients.isOverWebSocket()) {
            return Future.succeededFuture(clients);
        }
        List<Future<Endpoint>> relays = new ArrayList<>();
        // In the order in which clients take brokers and local addresses, see ClientSettings.options.
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
        // What arrives from a client while its WebSocket is being closed has nowhere to go, and says so here.
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
        client.pause(); // the CONNECT waits for its WebSocket
        webSockets
                .connect(request)
                .onSuccess(broker -> {
                    client.pipeTo(broker);
                    broker.pipeTo(client);
                })
                .onFailure(cause -> {
                    errors.add(name, cause); // first, so that it is there when the client notices
                    client.close();
                });
    }
}
