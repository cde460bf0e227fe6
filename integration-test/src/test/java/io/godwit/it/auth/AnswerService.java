package io.godwit.it.auth;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** An HTTP service on this machine, which answers as a test says and may misbehave. */
final class AnswerService implements AutoCloseable {
    /** How it answers. */
    enum Manner {
        RIGHT,
        SILENT,
        HUGE,
        REDIRECTING,
        BROKEN,
        WRONG
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile Manner manner = Manner.RIGHT;

    /** @param answer to the body of a request */
    AnswerService(Function<String, String> answer) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> answer(exchange, answer));
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    void manner(Manner next) {
        manner = next;
    }

    private void answer(HttpExchange exchange, Function<String, String> answer) throws IOException {
        String asked = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        byte[] content = answer.apply(asked).getBytes(StandardCharsets.UTF_8);
        boolean isMoved = exchange.getRequestURI().getPath().equals("/moved");
        Manner now = isMoved ? Manner.RIGHT : manner;
        try (exchange;
                OutputStream out = exchange.getResponseBody()) {
            if (now == Manner.SILENT) {
                end.await();
                return;
            }
            if (now == Manner.REDIRECTING) {
                exchange.getResponseHeaders().add("Location", url() + "moved");
            }
            int status = now == Manner.REDIRECTING ? 307 : now == Manner.BROKEN ? 500 : 200;
            exchange.sendResponseHeaders(status, 0);
            out.write(now == Manner.WRONG ? new byte[] {'{'} : content);
            byte[] spaces = " ".repeat(65_536).getBytes(StandardCharsets.UTF_8);
            while (now == Manner.HUGE && end.getCount() > 0) {
                out.write(spaces);
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
