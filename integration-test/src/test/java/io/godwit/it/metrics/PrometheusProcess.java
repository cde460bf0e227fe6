package io.godwit.it.metrics;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.it.real.Programs;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A Prometheus of its own, on a port of the loopback address. */
final class PrometheusProcess implements AutoCloseable {
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final int port;
    private final Path output;
    private final Process process;

    /** A program of its package; null where {@code .ci/install-test-clients} could not get it. */
    static @Nullable String program(String name) {
        String found = Programs.find(name);
        Path unpacked = Path.of("target/clients/prometheus/usr/bin", name).toAbsolutePath();
        return found == null && Files.isExecutable(unpacked) ? unpacked.toString() : found;
    }

    /** @param config in {@code directory}, where it keeps its data too */
    PrometheusProcess(String program, Path directory, Path config, int port) throws IOException {
        this.port = port;
        this.output = directory.resolve("prometheus.out");
        this.process = new ProcessBuilder(
                        program,
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + directory.resolve("tsdb"),
                        "--web.listen-address=127.0.0.1:" + port)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    boolean isReady() throws InterruptedException {
        try {
            return get("/-/ready").statusCode() == 200;
        } catch (IOException e) {
            if (!process.isAlive()) {
                throw new AssertionError("prometheus has ended, see " + output, e);
            }
            return false;
        }
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(10))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** How many series an expression yields now. */
    int series(String expression) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                get("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
        if (answer.statusCode() != 200) {
            throw new AssertionError(expression + ": " + answer.body());
        }
        return JsonParser.parseString(answer.body())
                .getAsJsonObject()
                .getAsJsonObject("data")
                .getAsJsonArray("result")
                .size();
    }

    /** Its alert rules, as {@code health name: error}. */
    List<String> rules() throws IOException, InterruptedException {
        List<String> rules = new ArrayList<>();
        JsonObject data = JsonParser.parseString(get("/api/v1/rules").body())
                .getAsJsonObject()
                .getAsJsonObject("data");
        for (JsonElement group : data.getAsJsonArray("groups")) {
            for (JsonElement rule : group.getAsJsonObject().getAsJsonArray("rules")) {
                JsonObject each = rule.getAsJsonObject();
                rules.add(each.get("health").getAsString() + ' '
                        + each.get("name").getAsString() + ": "
                        + (each.has("lastError") ? each.get("lastError").getAsString() : ""));
            }
        }
        return rules;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
