package io.godwit.it.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.mqtt.TestClient;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Await;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What operators steer over HTTP, at one node of three packaged brokers. */
@Timeout(240)
class OperationsApiTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    /** Nothing moves but what an operator asks for, and what is missing. */
    private static final String ONLY_REPLICAS = Stream.of("dist", "inbox", "retain")
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

        JsonArray items() {
            assertThat(status).as(text).isEqualTo(200);
            return json().getAsJsonArray("items");
        }
    }

    private HttpRequest request(String method, String path, @Nullable String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path))
                .timeout(Duration.ofSeconds(60))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        return request.build();
    }

    private Got send(String method, String path, @Nullable String body) throws Exception {
        HttpResponse<String> response = http.send(request(method, path, body), BodyHandlers.ofString());
        return new Got(response.statusCode(), response.body());
    }

    private Got get(String path) throws Exception {
        return send("GET", path, null);
    }

    private Got ok(String method, String path, @Nullable String body) throws Exception {
        Got got = send(method, path, body);
        assertThat(got.status()).as("%s %s: %s", method, path, got.text()).isEqualTo(200);
        return got;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void anOperatorSteersACluster() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(directory.resolve("brokers"), 3)) {
            for (BrokerProcess node : cluster.nodes()) {
                int port = Ports.free().getPort();
                node.setting("apiServerConfig", "{port: " + port + ", checkAnswers: true}")
                        .setting("storeConfig", ONLY_REPLICAS)
                        .setting("topicConfig", "{delayedPublish: {maxSeconds: 86400}}");
                if (address.isEmpty()) {
                    address = "http://127.0.0.1:" + port;
                }
            }
            cluster.start();
            for (String store : List.of("dist", "inbox", "retain")) {
                cluster.awaitVoters(0, store, 1, 3);
            }
            theConfigurationIsTold(cluster);
            clientsAreSubscribed(cluster);
            groupsAndDelayedMessagesAreSeen(cluster);
            aRangeIsCutAndLedElsewhere(cluster);
            balancersRestForATime();
            aNodeIsDrainedAndComesBack(cluster);
            aBackupIsWhole(cluster);
        }
    }

    private void theConfigurationIsTold(BrokerCluster cluster) throws Exception {
        Got got = get("/api/v1/configuration?onlyGiven=true");
        assertThat(got.items()).hasSize(3);
        assertThat(got.json().getAsJsonArray("missingNodes")).isEmpty();
        assertThat(got.json().getAsJsonArray("differences").asList())
                .extracting(each -> each.getAsJsonObject().get("key").getAsString())
                .contains("clusterConfig.rpcPort", "apiServerConfig.port")
                .doesNotContain("topicConfig.delayedPublish.maxSeconds");
        JsonObject delays = named(
                get("/api/v1/configuration?node=" + cluster.id(1))
                        .items()
                        .get(0)
                        .getAsJsonObject()
                        .getAsJsonArray("settings"),
                "key",
                "topicConfig.delayedPublish.maxSeconds");
        assertThat(delays.get("value").getAsString()).isEqualTo("86400");
        assertThat(delays.get("source").getAsString()).isEqualTo("file");
        assertThat(get("/api/v1/plugins").items()).isEmpty();
    }

    private static JsonObject named(JsonArray items, String field, String value) {
        for (JsonElement each : items) {
            if (each.getAsJsonObject().get(field).getAsString().equals(value)) {
                return each.getAsJsonObject();
            }
        }
        throw new AssertionError("no " + value + " among " + items);
    }

    private void publish(String topic, String payload, boolean retain) throws Exception {
        ok(
                "POST",
                "/api/v1/publish",
                "{\"topic\":\"" + topic + "\",\"payload\":\"" + payload + "\",\"qos\":1,\"retain\":" + retain + "}");
    }

    private List<Integer> codes(Got got) {
        return got.items().asList().stream()
                .map(each -> each.getAsJsonObject().get("reasonCode").getAsInt())
                .toList();
    }

    private static String take(TestClient client) {
        Publish got = client.receive(Publish.class);
        if (got.qos() != Qos.AT_MOST_ONCE) {
            client.send(new PubAck(got.packetId(), ReasonCode.SUCCESS));
        }
        return got.topic() + " " + new String(got.payload(), StandardCharsets.UTF_8);
    }

    /** One that is connected to another node, and one that is not connected. */
    private void clientsAreSubscribed(BrokerCluster cluster) throws Exception {
        publish("news/kept", "r", true);
        TestClient.persistent(cluster.node(2).address(), 5, "stored").close();
        String wanted = "{\"subscriptions\":[{\"filter\":\"news/#\",\"qos\":1}]}";
        String stored = "/api/v1/clients/stored/subscriptions";
        String live = "/api/v1/clients/live/subscriptions";
        assertThat(send("POST", live, wanted).status()).isEqualTo(404);
        try (TestClient client = TestClient.clean(cluster.node(1).address(), 5, "live")) {
            assertThat(codes(ok("POST", live, wanted))).containsExactly(1);
            assertThat(take(client)).isEqualTo("news/kept r");
            Await.until(() -> "the subscription of the stored session", PATIENCE, () -> {
                Got got = send("POST", stored, wanted); // refused while the end of its connection is not known yet
                return got.status() == 200 && codes(got).equals(List.of(1));
            });
            publish("news/1", "x", false);
            assertThat(take(client)).isEqualTo("news/1 x");
            assertThat(codes(ok("DELETE", live + "?filter=news/%23", null))).containsExactly(0);
            assertThat(codes(ok("DELETE", live + "?filter=news/%23", null))).containsExactly(17);
        }
        try (TestClient client = TestClient.persistent(cluster.node(1).address(), 5, "stored")) {
            assertThat(List.of(take(client), take(client))).containsExactlyInAnyOrder("news/1 x", "news/kept r");
        }
        Await.until(() -> "the end of the subscription of the stored session", PATIENCE, () -> {
            Got got = send("DELETE", stored + "?filter=news/%23", null);
            return got.status() == 200 && codes(got).equals(List.of(0));
        });
        publish("news/2", "y", false);
        assertThat(get("/api/v1/sessions/stored")
                        .json()
                        .getAsJsonObject("item")
                        .get("queuedMessages")
                        .getAsInt())
                .isZero();
    }

    private void groupsAndDelayedMessagesAreSeen(BrokerCluster cluster) throws Exception {
        String filter = "$share/g/jobs/+";
        try (TestClient one = TestClient.clean(cluster.node(1).address(), 5, "worker-1");
                TestClient two = TestClient.clean(cluster.node(2).address(), 5, "worker-2");
                TestClient kept = TestClient.persistent(cluster.node(2).address(), 5, "worker-3")) {
            for (TestClient each : List.of(one, two, kept)) {
                each.subscribe(1, filter, Qos.AT_LEAST_ONCE);
            }
            JsonObject group = get("/api/v1/groups?group=g").items().get(0).getAsJsonObject();
            assertThat(group.get("sharedFilter").getAsString()).isEqualTo(filter);
            assertThat(group.get("live").getAsInt()).isEqualTo(2);
            assertThat(group.get("stored").getAsInt()).isEqualTo(1);
            assertThat(get("/api/v1/groups/" + encoded(filter) + "/members")
                            .items()
                            .asList())
                    .extracting(each -> each.getAsJsonObject().get("clientId").getAsString())
                    .containsExactlyInAnyOrder("worker-1", "worker-2", "worker-3");

            for (int i = 1; i <= 2; i++) {
                one.send(TestClient.publish(i, Qos.AT_LEAST_ONCE, false, "$delayed/3600/later/" + i, "soon"));
                one.receive(PubAck.class);
            }
            JsonArray waiting = get("/api/v1/delayed").items();
            assertThat(waiting).hasSize(2);
            JsonObject count = get("/api/v1/delayed/count").json();
            assertThat(count.get("messages").getAsInt()).isEqualTo(2);
            assertThat(count.get("complete").getAsBoolean()).isTrue();
            JsonObject first = named(waiting, "topic", "later/1");
            assertThat(first.get("clientId").getAsString()).isEqualTo("worker-1");
            assertThat(first.get("payloadBytes").getAsInt()).isEqualTo(4);
            assertThat(send("DELETE", "/api/v1/delayed/" + first.get("id").getAsString(), null)
                            .status())
                    .isEqualTo(204);
            assertThat(ok("DELETE", "/api/v1/delayed?filter=later/%2B", null)
                            .json()
                            .get("messages")
                            .getAsInt())
                    .isEqualTo(1);
            assertThat(get("/api/v1/delayed").items()).isEmpty();
        }
    }

    private JsonObject firstRange() throws Exception {
        return get("/api/v1/ranges?store=inbox").items().get(0).getAsJsonObject();
    }

    private void aRangeIsCutAndLedElsewhere(BrokerCluster cluster) throws Exception {
        JsonObject range = firstRange();
        String path = "/api/v1/ranges/inbox/" + range.get("id").getAsString();
        long epoch = range.get("epoch").getAsLong();
        String key = "\"key\":\"0764656661756c7480\"";
        Got stale = send("POST", path + "/split", "{\"epoch\":" + (epoch + 7) + "," + key + "}");
        assertThat(stale.status()).as(stale.text()).isEqualTo(409);
        assertThat(stale.json().get("type").getAsString()).endsWith(":stale");
        ok("POST", path + "/split", "{\"epoch\":" + epoch + "," + key + "}");
        Await.until(
                () -> "two ranges",
                PATIENCE,
                () -> get("/api/v1/ranges?store=inbox").items().size() == 2);

        String leader = firstRange().get("leader").getAsString();
        String other = leader.equals(cluster.id(0)) ? cluster.id(1) : cluster.id(0);
        Await.until(() -> "a new leader", PATIENCE, () -> {
            int status = send("POST", path + "/transfer", "{\"to\":\"" + other + "\"}")
                    .status();
            return status == 200 || firstRange().get("leader").getAsString().equals(other);
        });
        Await.until(
                () -> "to see it",
                PATIENCE,
                () -> firstRange().get("leader").getAsString().equals(other));
        assertThat(send("POST", path + "/transfer", "{\"to\":\"nobody\"}").status())
                .isEqualTo(404);
    }

    private void balancersRestForATime() throws Exception {
        Got paused = ok(
                "PUT",
                "/api/v1/balancers",
                "{\"store\":\"retain\",\"balancer\":\"drain\",\"action\":\"pause\",\"forSeconds\":2}");
        assertThat(paused.items().asList())
                .filteredOn(
                        each -> each.getAsJsonObject().get("name").getAsString().equals("drain"))
                .hasSize(3)
                .allMatch(each -> each.getAsJsonObject().get("paused").getAsBoolean()
                        && each.getAsJsonObject().get("pausedSeconds").getAsInt() > 0);
        Await.until(
                () -> "the end of the pause",
                PATIENCE,
                () -> get("/api/v1/balancers?store=retain").items().asList().stream()
                        .noneMatch(each -> each.getAsJsonObject().get("paused").getAsBoolean()));
    }

    /** Three voters of three nodes: one fewer is left, which has to be meant. */
    private void aNodeIsDrainedAndComesBack(BrokerCluster cluster) throws Exception {
        String drain = "/api/v1/nodes/" + cluster.id(2) + "/drain";
        Got refused = send("POST", drain, "{}");
        assertThat(refused.status()).as(refused.text()).isEqualTo(409);
        assertThat(ok("POST", drain, "{\"lower\":true}").json().get("draining").getAsBoolean())
                .isTrue();
        Await.until(
                () -> "the end of the drain",
                PATIENCE,
                () -> get(drain).json().get("safeToStop").getAsBoolean());
        assertThat(ok("DELETE", drain, null).json().get("draining").getAsBoolean())
                .isFalse();
        for (JsonElement each : get("/api/v1/replicas").items()) {
            assertThat(each.getAsJsonObject().get("wantedVoters").getAsInt()).isEqualTo(3);
        }
        Got running = send("DELETE", "/api/v1/nodes/" + cluster.id(2), null);
        assertThat(running.status()).as(running.text()).isEqualTo(409);
    }

    private void aBackupIsWhole(BrokerCluster cluster) throws Exception {
        Path file = directory.resolve("inbox.tar");
        HttpResponse<Path> got =
                http.send(request("GET", "/api/v1/backup?store=inbox", null), BodyHandlers.ofFile(file));
        assertThat(got.statusCode()).isEqualTo(200);
        Path out = directory.resolve("restore.out");
        Path err = directory.resolve("restore.err");
        String into = directory.resolve("restored").toString();
        int code = cluster.node(0).adminApart(out, err, "restore", file.toString(), "--into", into, "--yes");
        assertThat(code).as(Files.readString(out) + Files.readString(err)).isZero();
        assertThat(Files.readString(out)).contains("inbox: 2 ranges", "restored into");

        byte[] bytes = Files.readAllBytes(file);
        Path half = Files.write(directory.resolve("half.tar"), Arrays.copyOf(bytes, bytes.length / 2));
        assertThat(cluster.node(0).adminApart(out, err, "restore", half.toString(), "--into", into + "2"))
                .isNotZero();
        assertThat(get("/api/v1/backup?store=nothing").status()).isEqualTo(404);
    }
}
