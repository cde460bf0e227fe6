package io.godwit.broker.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The script with which Docker checks the health of the broker in the image: {@code release/image/health}. */
class ImageHealthTest {
    @TempDir
    private Path directory;

    private HttpServer api;
    private volatile int answer = 200;

    @BeforeEach
    void serve() throws IOException {
        api = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        api.createContext("/health/ready", exchange -> {
            exchange.sendResponseHeaders(answer, -1);
            exchange.close();
        });
        api.start();
        Files.copy(Path.of("..", "release", "image", "health"), directory.resolve("health"));
        Path script = Files.writeString(
                directory.resolve("standalone.sh"),
                "#!/usr/bin/env bash\necho \"$*\" >" + directory + "/asked\nexit 4\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
    }

    @AfterEach
    void stop() {
        api.stop(0);
    }

    private int health() throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder("bash", directory.resolve("health").toString(), directory.toString());
        // The configured port of the API, which is not the one that it listens on.
        builder.environment().put("GODWIT_API_SERVER_CONFIG_PORT", "1");
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(said).isTrue();
        return process.exitValue();
    }

    private void broker(String url) throws IOException {
        Files.writeString(directory.resolve("godwit.api"), "pid=1\nurl=" + url + "\n");
    }

    @ParameterizedTest
    @CsvSource({"200, 0", "503, 1"})
    void theApiIsAskedWhereItListens(int answered, int expected) throws Exception {
        answer = answered;
        broker("http://127.0.0.1:" + api.getAddress().getPort());
        assertThat(health()).isEqualTo(expected);
    }

    @Test
    void anApiThatNobodyServesIsNotHealthy() throws Exception {
        broker("http://127.0.0.1:1");
        assertThat(health()).isEqualTo(1);
    }

    /** The image has no program that speaks TLS. */
    @ParameterizedTest
    @ValueSource(strings = {"https://127.0.0.1:8091", ""})
    void withTlsOrWithoutAnApiTheBrokersOwnWordCounts(String url) throws Exception {
        if (!url.isEmpty()) {
            broker(url);
        }
        assertThat(health()).isEqualTo(4);
        assertThat(directory.resolve("asked")).hasContent("status --data " + directory);
    }
}
