package io.godwit.perf;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.mqtt.MqttEndpoint;
import io.vertx.mqtt.MqttServer;
import io.vertx.mqtt.MqttServerOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reactions of commands to servers that do not behave as a broker. */
class UnhelpfulServerTest {
    @TempDir
    private Path home;

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    /** Starts a server; returns its address. */
    private String serve(Consumer<MqttEndpoint> handler) throws Exception {
        MqttServer server = MqttServer.create(
                vertx, new MqttServerOptions().setHost("127.0.0.1").setPort(0));
        server.endpointHandler(handler::accept);
        server.listen().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        return "127.0.0.1:" + server.actualPort();
    }

    private static void subscribes(MqttEndpoint endpoint) {
        endpoint.subscribeHandler(
                subscribe -> endpoint.subscribeAcknowledge(subscribe.messageId(), List.of(MqttQoS.AT_LEAST_ONCE)));
        endpoint.accept(false);
    }

    private String report() throws IOException {
        try (Stream<Path> files = Files.list(home)) {
            return Files.readString(files.filter(file -> file.toString().endsWith(".json"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow());
        }
    }

    /**
     * One of fifty clients is disconnected at its SUBSCRIBE, which is a fault of the run; the report is about the
     * others.
     */
    @Test
    void aClientThatIsClosedBeforeItIsReadyHasFailed() throws Exception {
        AtomicInteger clients = new AtomicInteger();
        String broker = serve(endpoint -> {
            subscribes(endpoint);
            if (!endpoint.clientIdentifier().contains("practice") && clients.incrementAndGet() == 7) {
                endpoint.subscribeHandler(subscribe -> endpoint.close());
            }
        });

        int code = Main.execute(
                "conn",
                "-c",
                "50",
                "-r",
                "100",
                "--subscribe",
                "--duration",
                "1s",
                "--broker",
                broker,
                "--out",
                home.toString());

        assertThat(code).isEqualTo(3);
        assertThat(report()).contains("the broker closed the connection before the client was ready");
    }

    /** Otherwise no message of a one-to-one load would go from one node to another. */
    @Test
    void withTwoBrokersPublisherAndSubscriberOfAPairAreNotOnTheSame() throws Exception {
        Set<String> first = ConcurrentHashMap.newKeySet();
        Set<String> second = ConcurrentHashMap.newKeySet();
        String brokers = serve(endpoint -> {
                    first.add(role(endpoint));
                    subscribes(endpoint);
                })
                + ","
                + serve(endpoint -> {
                    second.add(role(endpoint));
                    subscribes(endpoint);
                });

        int code = Main.execute(
                "run",
                "4_4_qos0_p32_10mps_1n",
                "--warmup",
                "100ms",
                "--duration",
                "1s",
                "--drain",
                "1s",
                "--broker",
                brokers,
                "--out",
                home.toString());

        assertThat(code).as("the exit code if no message is delivered").isEqualTo(3);
        assertThat(first).containsExactlyInAnyOrder("p0", "p2", "s1", "s3");
        assertThat(second).containsExactlyInAnyOrder("p1", "p3", "s0", "s2");
    }

    /** The metrics report a second of CPU time for each look, of which there is at least one a second. */
    @Test
    void aBrokerThatTellsItsMetricsIsWatchedByThem() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        HttpServer metrics = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        metrics.createContext("/metrics", exchange -> {
            byte[] text = ("process_cpu_seconds_total " + looks.incrementAndGet()
                            + "\nprocess_resident_memory_bytes 123000000\n")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        metrics.start();
        try {
            int code = Main.execute(
                    "conn",
                    "-c",
                    "10",
                    "-r",
                    "10",
                    "--duration",
                    "1s",
                    "--broker",
                    serve(e -> e.accept(false)),
                    "--out",
                    home.toString(),
                    "--broker-cores",
                    "64",
                    "--broker-metrics",
                    "http://127.0.0.1:" + metrics.getAddress().getPort() + "/metrics");

            assertThat(code).isZero();
        } finally {
            metrics.stop(0);
        }
        JsonObject broker = new JsonObject(report()).getJsonObject("broker");
        assertThat(broker.getLong("mostBytes")).isEqualTo(123_000_000);
        assertThat(broker.getDouble("meanCores")).isPositive();
    }

    /** The role and number at the end of a client id: {@code s7} of {@code perf-RUN-s7}. */
    private static String role(MqttEndpoint endpoint) {
        String id = endpoint.clientIdentifier();
        return id.substring(id.lastIndexOf('-') + 1);
    }
}
