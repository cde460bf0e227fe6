package io.godwit.it.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.TokenFile.Entry;
import io.godwit.api.auth.TokenText;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.real.Programs;
import io.godwit.mqtt.TestClient;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Needs;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests that Schemathesis makes up from {@code openapi.yaml}, valid and not, to a packaged broker that compares each
 * answer with the document too. No answer may be a fault (500), be of another shape than the document says, or take 15
 * seconds; what the document forbids is refused. Left out are the streams, which do not end by themselves; what sends
 * all clients away; and the end of that, a DELETE whose resource stays, which Schemathesis holds against it.
 */
@Timeout(600)
class ApiFuzzTest {
    private static final String TOKEN = TokenText.make(new SecureRandom());
    private static final Path INSTALLED = Programs.INSTALLED.resolve("schemathesis");

    /** How many requests it has made. */
    private static final Pattern MADE = Pattern.compile("(\\d+) generated");

    /** 413 and 414: what is too long for the document is too long for the port before that. */
    private static final String SETTINGS = """
            [checks.negative_data_rejection]
            expected-statuses = [400, 401, 403, 404, 405, 409, 413, 414, 415, 431, 503]
            [checks.not_a_server_error]
            expected-statuses = ["2xx", "3xx", "4xx", 503]
            """;

    @TempDir
    private Path directory;

    private @Nullable BrokerProcess started;
    private int port;

    @BeforeEach
    void start() throws Exception {
        Needs.need(Programs.find("python3") != null, "python3", ".ci/install-test-clients does it");
        Needs.need(
                Files.isDirectory(INSTALLED.resolve("schemathesis")),
                "schemathesis",
                ".ci/install-test-clients does it");
        Path tokens = Files.writeString(
                directory.resolve("tokens"),
                TokenFile.parse("")
                        .with(Entry.ofToken("ada", Role.ADMIN, "", TOKEN))
                        .text());
        Path users = Files.writeString(directory.resolve("passwd"), "# none of its own\n");
        port = Ports.free().getPort();
        BrokerProcess broker = new BrokerProcess(directory.resolve("broker"))
                .setting(
                        "apiServerConfig",
                        "{port: " + port + ", tokensFile: " + tokens + ", checkAnswers: true, maxRequestRate: 100000, "
                                + "maxRequestRatePerCaller: 100000}")
                .setting("authConfig", "{provider: file, file: " + users + ", allowAnonymous: true}");
        broker.start();
        started = broker;
    }

    @AfterEach
    void stop() throws Exception {
        if (started != null) {
            started.close();
        }
    }

    @Test
    @Tag("full")
    void someRequestsMadeUpFromTheDocumentAreAnsweredByIt() throws Exception {
        // a loaded machine makes about four requests in a second
        fuzz(50, "--phases", "fuzzing", "--max-examples", "3", "--max-time", "40", "--seed", "1");
    }

    @Test
    @Tag("long")
    void requestsMadeUpFromTheDocumentAreAnsweredByIt() throws Exception {
        // by one worker: with more, its generator fails now and then under Python 3.11
        fuzz(
                1_000,
                "--phases",
                "coverage,fuzzing,stateful",
                "--max-examples",
                "50",
                "--max-time",
                "240",
                "--seed",
                "2");
    }

    private void fuzz(int least, String... options) throws Exception {
        Path settings = Files.writeString(directory.resolve("schemathesis.toml"), SETTINGS);
        Path output = directory.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(
                        Objects.requireNonNull(Programs.find("python3")),
                        "-m",
                        "schemathesis.cli",
                        "--config-file",
                        settings.toString(),
                        "run",
                        "http://127.0.0.1:" + port + "/api/v1/openapi.yaml",
                        "--header",
                        "Authorization: Bearer " + TOKEN,
                        "--exclude-operation-id",
                        "streamEvents",
                        "--exclude-operation-id",
                        "streamTrace",
                        "--exclude-operation-id",
                        "drainNode",
                        "--exclude-operation-id",
                        "keepNode",
                        "--exclude-checks",
                        "positive_data_acceptance", // a name that fits the document may be nobody's
                        "--request-timeout",
                        "15",
                        "--no-shrink",
                        "--no-color",
                        "--continue-on-failure")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.command().addAll(List.of(options));
        builder.environment().put("PYTHONPATH", INSTALLED.toString());
        Process process = builder.start();
        try {
            assertThat(process.waitFor(500, TimeUnit.SECONDS))
                    .as("the process has ended")
                    .isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        String told = Files.readString(output);
        assertThat(process.exitValue()).as(told).isZero();
        Matcher made = MADE.matcher(told);
        assertThat(made.find()).as(told).isTrue();
        assertThat(Integer.parseInt(made.group(1))).as(told).isGreaterThan(least);
        itServes();
    }

    private void itServes() throws Exception {
        assertThat(HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health/ready"))
                                        .build(),
                                BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(200);
        BrokerProcess broker = Objects.requireNonNull(started);
        try (TestClient client = TestClient.clean(broker.address(), 5, "after-the-fuzz")) {
            client.subscribe(1, "after/the/fuzz", Qos.AT_LEAST_ONCE);
            client.send(TestClient.publish(2, Qos.AT_LEAST_ONCE, false, "after/the/fuzz", "x"));
            boolean hasArrived = false;
            boolean isAcknowledged = false;
            while (!hasArrived || !isAcknowledged) {
                Object packet = client.receive();
                if (packet instanceof Publish publish) {
                    assertThat(new String(publish.payload(), UTF_8)).isEqualTo("x");
                    client.send(new PubAck(publish.packetId(), ReasonCode.SUCCESS));
                    hasArrived = true;
                } else {
                    isAcknowledged = packet instanceof PubAck;
                }
            }
        }
    }
}
