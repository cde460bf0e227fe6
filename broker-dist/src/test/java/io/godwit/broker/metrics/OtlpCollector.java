package io.godwit.broker.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;

/** A collector that records what is pushed to it. */
public final class OtlpCollector implements AutoCloseable {
    /** One push as it came. */
    @SuppressWarnings("ArrayRecordComponent")
    public record Push(String method, String path, Headers headers, byte[] body) {
        /** Decoded by the classes of OpenTelemetry. */
        public ExportMetricsServiceRequest request() throws IOException {
            assertThat(headers.getFirst("Content-Encoding")).isEqualTo("gzip");
            byte[] plain = new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes();
            try {
                return ExportMetricsServiceRequest.parseFrom(plain);
            } catch (InvalidProtocolBufferException e) {
                throw new IOException("no request of OTLP", e);
            }
        }
    }

    private final BlockingQueue<Push> pushes = new LinkedBlockingQueue<>();
    private final HttpServer server;
    private final String scheme;
    private final int status;

    /** @param server not started yet */
    public OtlpCollector(HttpServer server, String scheme, int status) {
        this.server = server;
        this.scheme = scheme;
        this.status = status;
        server.createContext("/v1/metrics", this::take);
        server.start();
    }

    /** Over HTTP, on a free port. */
    public static OtlpCollector answering(int status) throws IOException {
        return new OtlpCollector(
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10), "http", status);
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            pushes.add(new Push(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    exchange.getRequestHeaders(),
                    exchange.getRequestBody().readAllBytes()));
            exchange.sendResponseHeaders(status, -1);
        }
    }

    /** Where to push to. */
    public URI url() {
        return URI.create(scheme + "://127.0.0.1:" + server.getAddress().getPort() + "/v1/metrics");
    }

    /** Waits for the next one. */
    public Push next() throws InterruptedException {
        Push push = pushes.poll(20, TimeUnit.SECONDS);
        assertThat(push).as("a push arrives within 20 seconds").isNotNull();
        return push;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
