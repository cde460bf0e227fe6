package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One of three packaged brokers is killed, a fourth one joins and takes its place, as the API is asked. */
@Timeout(240)
class ReplaceApiTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final List<String> STORES = List.of("dist", "inbox", "retain");
    /** What is missing is made anew after ten minutes, or when an operator asks; nothing else moves. */
    private static final String ONLY_REPLICAS = STORES.stream()
            .map(store -> store + ": {balancers: [replica-count, drain], balanceSettings: "
                    + "[replica-count.settleSeconds=1, drain.settleSeconds=1]}")
            .collect(Collectors.joining(", ", "{", "}"));

    @TempDir
    private Path directory;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private String address = "";

    private record Got(int status, String text) {
        JsonObject json() {
            return JsonParser.parseString(text).getAsJsonObject();
        }
    }

    private Got send(String method, String path, @Nullable String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path))
                .timeout(Duration.ofSeconds(60))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
        return new Got(response.statusCode(), response.body());
    }

    private JsonArray items(String path) throws Exception {
        Got got = send("GET", path, null);
        assertThat(got.status()).as(got.text()).isEqualTo(200);
        return got.json().getAsJsonArray("items");
    }

    private static String by(String node) {
        return "{\"by\":\"" + node + "\"}";
    }

    @Test
    void aKilledNodeIsReplacedByOneThatJoins() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(directory.resolve("brokers"), 4, null, 3)) {
            for (BrokerProcess node : cluster.nodes()) {
                int port = Ports.free().getPort();
                node.setting("apiServerConfig", "{port: " + port + ", checkAnswers: true}")
                        .setting("storeConfig", ONLY_REPLICAS);
                if (address.isEmpty()) {
                    address = "http://127.0.0.1:" + port;
                }
            }
            cluster.start(3);
            for (String store : STORES) {
                cluster.awaitVoters(0, store, 1, 3);
            }
            cluster.node(2).kill();
            cluster.startNext();
            String gone = cluster.id(2);
            String heir = cluster.id(3);
            String path = "/api/v1/nodes/" + gone + "/replace";
            refusals(path, gone, cluster.id(1), heir);

            Await.until(
                    () -> "the beginning",
                    PATIENCE,
                    () -> { // the dead node is not known as such at once
                        Got begun = send("POST", path, by(heir));
                        assertThat(begun.status()).as(begun.text()).isIn(202, 409);
                        return begun.status() == 202;
                    });
            JsonObject end = awaitEnd(path);
            assertThat(end.get("state").getAsString()).as(end.toString()).isEqualTo("done");
            assertThat(end.get("left").getAsInt()).isZero();
            everyRangeHasThreeVotersOf(List.of(cluster.id(0), cluster.id(1), heir));
            assertThat(items("/api/v1/nodes").asList().stream()
                            .map(JsonElement::getAsJsonObject)
                            .filter(node -> node.get("id").getAsString().equals(gone)))
                    .allMatch(node -> node.get("forgotten").getAsBoolean());
            assertThat(items("/api/v1/balancers").asList())
                    .noneMatch(each -> each.getAsJsonObject().get("resting").getAsBoolean());

            // done already, so once more is done at once; or the node is not known any more
            Path out = directory.resolve("replace.out");
            Path err = directory.resolve("replace.err");
            int code = cluster.node(1).adminApart(out, err, "replace", gone, "--by", heir, "--url", address);
            String told = Files.readString(out) + Files.readString(err);
            assertThat(code + told).containsPattern("(?s)^(0.*is forgotten|6.*there is no node)");
        }
    }

    private void refusals(String path, String gone, String running, String heir) throws Exception {
        assertThat(send("GET", path, null).status()).isEqualTo(404);
        assertThat(send("POST", path, by(gone)).status()).isEqualTo(400);
        assertThat(send("POST", path, by("nobody")).status()).isEqualTo(400);
        assertThat(send("POST", "/api/v1/nodes/nobody/replace", by(heir)).status())
                .isEqualTo(404);
        Got alive = send("POST", "/api/v1/nodes/" + running + "/replace", by(heir));
        assertThat(alive.status()).as(alive.text()).isEqualTo(409);
        assertThat(alive.json()
                        .getAsJsonArray("errors")
                        .get(0)
                        .getAsJsonObject()
                        .get("field")
                        .getAsString())
                .isEqualTo("node");
        assertThat(send("GET", path, null).status()).isEqualTo(404);
    }

    private JsonObject awaitEnd(String path) throws Exception {
        JsonObject[] last = new JsonObject[1];
        Await.until(() -> "its end, is " + last[0], PATIENCE, () -> {
            last[0] = send("GET", path, null).json();
            return !last[0].get("state").equals(new JsonPrimitive("running"));
        });
        return last[0];
    }

    private void everyRangeHasThreeVotersOf(List<String> nodes) throws Exception {
        for (String store : STORES) {
            JsonArray[] last = new JsonArray[1];
            Await.until(() -> "three voters of each range, are " + last[0], PATIENCE, () -> {
                last[0] = items("/api/v1/ranges?store=" + store);
                return !last[0].isEmpty()
                        && last[0].asList().stream()
                                .allMatch(range -> votersOf(range)
                                        .sorted()
                                        .toList()
                                        .equals(nodes.stream().sorted().toList()));
            });
        }
    }

    private static Stream<String> votersOf(JsonElement range) {
        return range.getAsJsonObject().getAsJsonArray("voters").asList().stream()
                .map(JsonElement::getAsString);
    }
}
