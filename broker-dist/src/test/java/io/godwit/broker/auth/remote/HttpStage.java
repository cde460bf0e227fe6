package io.godwit.broker.auth.remote;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** An HTTP service on this machine that answers as the test says. */
public final class HttpStage implements AutoCloseable {
    /** How it answers. */
    public enum Manner {
        /** 200 and the content. */
        RIGHT,
        /** The same, once {@link #letGo} allows one more answer. */
        HELD,
        /** The headers at once, and no body until the end of the test. */
        SLOW_BODY,
        /** Nothing until the end of the test. */
        SILENT,
        /** 200, the content, and then spaces without end. */
        HUGE,
        /** 302 to where the content is. */
        REDIRECTING,
        /** 500 and the content. */
        BROKEN,
        /** 200 and half of the content. */
        CUT,
        /** 200 and something else. */
        WRONG
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch end = new CountDownLatch(1);
    private final Semaphore letGo = new Semaphore(0);
    private volatile Manner manner = Manner.RIGHT;
    private final Map<String, String> contents = new ConcurrentHashMap<>();

    /** The paths of the requests. */
    public final List<String> asked = new CopyOnWriteArrayList<>();

    /** The bodies of the requests. */
    public final List<String> bodies = new CopyOnWriteArrayList<>();

    /** The values of their header {@code Authorization}. */
    public final List<String> authorizations = new CopyOnWriteArrayList<>();

    public HttpStage() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    public HttpStage content(String path, String text) {
        contents.put(path, text);
        return this;
    }

    public HttpStage manner(Manner next) {
        manner = next;
        return this;
    }

    /** Lets the service give so many answers of {@link Manner#HELD}. */
    public void letGo(int answers) {
        letGo.release(answers);
    }

    public URI url(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        asked.add(path);
        bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        byte[] content = contents.getOrDefault(path, "").getBytes(StandardCharsets.UTF_8);
        try (exchange;
                OutputStream out = exchange.getResponseBody()) {
            switch (manner) {
                case RIGHT, HELD -> {
                    if (manner == Manner.HELD) {
                        letGo.acquire();
                    }
                    exchange.sendResponseHeaders(contents.containsKey(path) ? 200 : 404, 0);
                    out.write(content);
                }
                case SLOW_BODY -> {
                    exchange.sendResponseHeaders(200, 0);
                    out.flush();
                    end.await();
                }
                case SILENT -> end.await();
                case HUGE -> {
                    exchange.sendResponseHeaders(200, 0);
                    out.write(content);
                    byte[] spaces = " ".repeat(65_536).getBytes(StandardCharsets.UTF_8);
                    while (end.getCount() > 0) {
                        out.write(spaces);
                    }
                }
                case REDIRECTING -> {
                    exchange.getResponseHeaders()
                            .add("Location", url("/elsewhere").toString());
                    exchange.sendResponseHeaders(302, 0);
                    out.write(content);
                }
                case BROKEN -> {
                    exchange.sendResponseHeaders(500, 0);
                    out.write(content);
                }
                case CUT -> {
                    exchange.sendResponseHeaders(200, 0);
                    out.write(content, 0, content.length / 2);
                }
                case WRONG -> {
                    exchange.sendResponseHeaders(200, 0);
                    out.write("<html>sign in</html>".getBytes(StandardCharsets.UTF_8));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        end.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
