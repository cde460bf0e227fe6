package io.godwit.broker.admin;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** An HTTP server on a free port that gives the test's answers and records its requests. */
final class FakeApi implements AutoCloseable {
    /** Answers one request. */
    interface Handler {
        void handle(HttpExchange exchange) throws IOException;
    }

    /** @param token as it was sent; empty for none */
    record Asked(String method, String path, String token, String body) {
        JsonObject json() {
            return JsonParser.parseString(body).getAsJsonObject();
        }
    }

    final List<Asked> asked = new CopyOnWriteArrayList<>();
    final String url;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile Handler handler = exchange -> answer(exchange, 404, problem("not-found", 404, "no such path"));

    FakeApi(@Nullable SSLContext tls) throws IOException {
        this(tls, "127.0.0.1");
    }

    FakeApi(@Nullable SSLContext tls, String host) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(host), 0);
        if (tls == null) {
            server = HttpServer.create(address, 0);
        } else {
            HttpsServer secured = HttpsServer.create(address, 0);
            secured.setHttpsConfigurator(new HttpsConfigurator(tls));
            server = secured;
        }
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            String authorization = exchange.getRequestHeaders().getFirst("Authorization");
            asked.add(new Asked(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    authorization == null ? "" : authorization,
                    new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
            handler.handle(exchange);
            exchange.close();
        });
        server.start();
        url = (tls == null ? "http" : "https") + "://" + host + ":"
                + server.getAddress().getPort();
    }

    void handle(Handler next) {
        handler = next;
    }

    /** Each request gets the next of these bodies; when they are used up, the last one again. */
    void answers(int status, String... bodies) {
        handler = exchange -> answer(exchange, status, bodies[Math.min(asked.size(), bodies.length) - 1]);
    }

    static void answer(HttpExchange exchange, int status, String body) throws IOException {
        String type = status < 400 || body.contains("\"live\"") ? "application/json" : "application/problem+json";
        answer(exchange, status, type, body.getBytes(StandardCharsets.UTF_8));
    }

    static void answer(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, status == 204 ? -1 : body.length == 0 ? -1 : body.length);
        if (body.length > 0 && status != 204) {
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        }
    }

    static String problem(String type, int status, String detail) {
        return "{\"type\": \"urn:godwit:problem:" + type + "\", \"title\": \"t\", \"status\": " + status
                + ", \"detail\": \"" + detail + "\"}";
    }

    Asked last() {
        return asked.get(asked.size() - 1);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
