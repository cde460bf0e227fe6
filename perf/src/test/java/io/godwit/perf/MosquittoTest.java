package io.godwit.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.godwit.perf.load.client.Endpoint;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Small loads on a foreign broker. Without one the tests are skipped; with {@code -Dclients=required} they then fail
 * unless {@code clients.missing} names it.
 */
class MosquittoTest {
    private static final List<Path> PLACES = List.of(
            Path.of("/usr/sbin/mosquitto"), Path.of("/usr/local/sbin/mosquitto"), Path.of("/usr/bin/mosquitto"));

    @TempDir
    private static Path home;

    private static Process broker;
    private static int port;
    /** The port of a broker that refuses all clients. */
    private static int closedPort;

    @TempDir
    private Path reports;

    @BeforeAll
    static void start() throws Exception {
        Path executable =
                PLACES.stream().filter(Files::isExecutable).findFirst().orElse(null);
        if (executable == null) {
            String reason = "mosquitto is not installed; it is Debian's package mosquitto";
            List<String> mayBeMissing =
                    List.of(System.getProperty("clients.missing", "").split(",", -1));
            if ("required".equals(System.getProperty("clients")) && !mayBeMissing.contains("mosquitto")) {
                fail(reason + " (-Dclients=required)");
            }
            abort(reason);
        }
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket another = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
            closedPort = another.getLocalPort();
        }
        Path config = Files.writeString(home.resolve("mosquitto.conf"), """
                per_listener_settings true
                listener %d 127.0.0.1
                allow_anonymous true
                listener %d 127.0.0.1
                allow_anonymous false
                """.formatted(port, closedPort));
        broker = new ProcessBuilder(executable.toString(), "-c", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("output").toFile())
                .start();
        assertThat(Shell.awaitPorts(List.of(new Endpoint("127.0.0.1", port)), Shell.PORT_TIME))
                .isTrue();
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (broker != null) {
            broker.destroy();
            if (!broker.waitFor(30, TimeUnit.SECONDS)) {
                broker.destroyForcibly();
            }
        }
    }

    private static JsonObject run(Path out, int expectedCode, String... args) throws Exception {
        return runAt(port, out, expectedCode, args);
    }

    private static JsonObject runAt(int at, Path out, int expectedCode, String... args) throws Exception {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--broker", "127.0.0.1:" + at, "--out", out.toString()));
        assertThat(Main.execute(all.toArray(String[]::new))).isEqualTo(expectedCode);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(out, "*.json")) {
            return new JsonObject(Files.readString(files.iterator().next()));
        }
    }

    @Test
    void whatIsSentArrives() throws Exception {
        JsonObject delivery = run(
                        reports, 0, "run", "30_30_qos1_p32_10mps_1n_1v", "--duration", "1s", "--warmup", "500ms")
                .getJsonObject("delivery");

        assertThat(delivery.getLong("sent")).isPositive();
        assertThat(delivery.getLong("received")).isEqualTo(delivery.getLong("expected"));
        assertThat(delivery.getLong("lost")).isZero();
    }

    @Test
    void connectionsOfTheFreeFormAreOpened() throws Exception {
        JsonObject json = run(reports, 0, "conn", "--clients", "40", "--rate", "50", "--duration", "500ms");

        assertThat(json.getJsonObject("connections").getInteger("connected")).isEqualTo(40);
    }

    @Test
    void connectionsThatTheBrokerRefusesAreFaults() throws Exception {
        JsonObject json = runAt(closedPort, reports, 3, "run", "conn-tcp-40-100_1n_true", "--duration", "500ms");

        assertThat(json.getJsonObject("connections").getInteger("failed")).isEqualTo(40);
        assertThat(json.getJsonArray("faults")).isNotEmpty();
    }

    /** Two instances of the tool, as on two machines. */
    @Test
    void oneListensToWhatAnotherPublishes() throws Exception {
        Path listener = Files.createDirectory(reports.resolve("sub"));
        CompletableFuture<JsonObject> heard = CompletableFuture.supplyAsync(() -> {
            try {
                return run(listener, 0, "sub", "--clients", "5", "--qos", "1", "--duration", "4s", "--warmup", "0s");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        JsonObject sent = run(
                Files.createDirectory(reports.resolve("pub")),
                0,
                "pub",
                "--clients",
                "5",
                "--qos",
                "1",
                "--rate",
                "20",
                "--duration",
                "3s",
                "--warmup",
                "0s");

        assertThat(sent.getJsonObject("delivery").getLong("acknowledged")).isPositive();
        assertThat(heard.get(60, TimeUnit.SECONDS).getJsonObject("delivery").getLong("received"))
                .isPositive();
    }
}
