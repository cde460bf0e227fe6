package io.godwit.it.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.TokenFile.Entry;
import io.godwit.api.auth.TokenText;
import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.mqtt.TestClient;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.Qos;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bans, tokens, users and rules that one of three packaged brokers is told of, at the others. */
@Tag("full")
@Timeout(240)
class BansOverNodesTest {
    private static final int NODES = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String PASSWORD = "grutto";
    private static final String ADMIN = TokenText.make(new SecureRandom());

    @TempDir
    private static Path directory;

    private static @Nullable BrokerCluster cluster;
    private static final List<Integer> PORTS = new ArrayList<>();

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeAll
    static void startAll() throws Exception {
        Path tokens = Files.writeString(
                directory.resolve("tokens"),
                TokenFile.parse("")
                        .with(Entry.ofToken("ada", Role.ADMIN, "", ADMIN))
                        .text());
        Path users = Files.writeString(directory.resolve("passwd"), "# none of its own\n");
        Path rules = Files.writeString(directory.resolve("acl"), "deny all all locked/#\nallow all user ann #\n");
        BrokerCluster made = new BrokerCluster(directory.resolve("brokers"), NODES).votersSoon();
        cluster = made;
        for (BrokerProcess node : made.nodes()) {
            int port = Ports.free().getPort();
            PORTS.add(port);
            node.setting("apiServerConfig", "{port: " + port + ", tokensFile: " + tokens + ", checkAnswers: true}")
                    .setting(
                            "authConfig",
                            "{provider: file, file: " + users + ", aclFile: " + rules + ", allowAnonymous: true}");
        }
        made.start();
        made.awaitVoters(0, "dist", 1, NODES);
    }

    @AfterAll
    static void end() throws Exception {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static BrokerProcess node(int number) {
        BrokerCluster started = cluster;
        if (started == null) {
            throw new AssertionError("not started");
        }
        return started.node(number);
    }

    private record Got(int status, String text) {
        JsonObject json() {
            return JsonParser.parseString(text).getAsJsonObject();
        }

        JsonObject item() {
            return json().getAsJsonObject("item");
        }
    }

    private Got send(int node, String method, String path, @Nullable String body, String token) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + PORTS.get(node) + "/api/v1" + path))
                .timeout(Duration.ofSeconds(30))
                .header("Authorization", "Bearer " + token)
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
        return new Got(response.statusCode(), response.body());
    }

    private Got ban(int node, String body) throws Exception {
        Got made = send(node, "POST", "/bans", body, ADMIN);
        assertThat(made.status()).as(made.text()).isEqualTo(201);
        return made;
    }

    private void unban(int node, Got made) throws Exception {
        String id = made.item().get("id").getAsString();
        assertThat(send(node, "DELETE", "/bans/" + id, null, ADMIN).status()).isEqualTo(204);
    }

    private static ReasonCode connect(int node, int level, String clientId, @Nullable String userName) {
        try (TestClient client = new TestClient(node(node).address(), level)) {
            return connect(client, level, clientId, userName, PASSWORD);
        }
    }

    private static ReasonCode connect(
            TestClient client, int level, String clientId, @Nullable String userName, String password) {
        byte[] given = userName == null ? null : password.getBytes(UTF_8);
        client.send(new Connect(level, true, 0, clientId, userName, given, null));
        return client.receive(ConnAck.class).reasonCode();
    }

    private void user(int node, String name) throws Exception {
        Got made = send(node, "PUT", "/users/" + name, "{\"password\":\"" + PASSWORD + "\"}", ADMIN);
        assertThat(made.status()).as(made.text()).isEqualTo(201);
    }

    private static void assertEnded(TestClient client) {
        assertThat(client.receive(Disconnect.class).reasonCode()).isEqualTo(ReasonCode.ADMINISTRATIVE_ACTION);
    }

    /** At each node at once when the answer is there: nothing is waited for here. */
    @Test
    void aBanOfAClientIdHoldsOnAllNodesAndOverARestart() throws Exception {
        Got made;
        try (TestClient lamp = TestClient.clean(node(1).address(), 5, "lamp");
                TestClient other = TestClient.clean(node(1).address(), 5, "other")) {
            made = ban(0, "{\"kind\":\"client\",\"subject\":\"lamp\",\"reason\":\"floods\"}");
            assertEnded(lamp);
            other.send(PingReq.INSTANCE);
            other.receive(PingResp.class);
        }
        for (int i = 0; i < NODES; i++) {
            assertThat(connect(i, 5, "lamp", null)).isEqualTo(ReasonCode.BANNED);
            assertThat(connect(i, 4, "lamp", null)).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(connect(i, 5, "other", null)).isEqualTo(ReasonCode.SUCCESS);
        }
        node(2).kill();
        node(2).launch();
        node(2).awaitReady(PATIENCE);
        assertThat(connect(2, 5, "lamp", null)).isEqualTo(ReasonCode.BANNED);
        Got list = send(2, "GET", "/bans?kind=client", null, ADMIN);
        assertThat(list.json().getAsJsonArray("items").get(0).getAsJsonObject()).isEqualTo(made.item());

        unban(1, made);
        for (int i = 0; i < NODES; i++) {
            assertThat(connect(i, 5, "lamp", null)).isEqualTo(ReasonCode.SUCCESS);
        }
    }

    @Test
    void aClientThatIsDisconnectedWithABanDoesNotComeBack() throws Exception {
        try (TestClient drone = TestClient.persistent(node(2).address(), 5, "drone")) {
            Got made = send(0, "DELETE", "/clients/drone?banSeconds=600&reason=test", null, ADMIN);
            assertThat(made.status()).as(made.text()).isEqualTo(200);
            assertEnded(drone);
            for (int i = 0; i < NODES; i++) {
                assertThat(connect(i, 5, "drone", null)).isEqualTo(ReasonCode.BANNED);
            }
            unban(2, made);
        }
    }

    @Test
    void bansOfUsersAndAddressesHoldOnAllNodes() throws Exception {
        user(0, "mallory");
        try (TestClient user = new TestClient(node(2).address(), 5)) {
            assertThat(connect(user, 5, "a", "mallory", PASSWORD)).isEqualTo(ReasonCode.SUCCESS);
            Got made = ban(1, "{\"kind\":\"user\",\"subject\":\"mallory\",\"seconds\":600}");
            assertEnded(user);
            assertThat(connect(0, 5, "b", "mallory")).isEqualTo(ReasonCode.BANNED);
            unban(0, made);
        }
        try (TestClient near = TestClient.clean(node(0).address(), 5, "near")) {
            Got made = ban(2, "{\"kind\":\"address\",\"subject\":\"127.0.0.0/8\"}");
            assertEnded(near);
            for (int i = 0; i < NODES; i++) {
                assertThat(connect(i, 5, "far", null)).isEqualTo(ReasonCode.BANNED);
            }
            unban(1, made);
            assertThat(connect(0, 5, "near", null)).isEqualTo(ReasonCode.SUCCESS);
        }
    }

    @Test
    void aTokenOfOneNodeIsGoodAtAllUntilItIsRemovedAtAny() throws Exception {
        Got made = send(0, "POST", "/tokens", "{\"name\":\"board\",\"role\":\"viewer\"}", ADMIN);
        assertThat(made.status()).as(made.text()).isEqualTo(201);
        String token = made.json().get("token").getAsString();
        for (int i = 0; i < NODES; i++) {
            assertThat(send(i, "GET", "/nodes", null, token).status()).isEqualTo(200);
            assertThat(send(i, "GET", "/tokens", null, token).status()).isEqualTo(403);
            assertThat(send(i, "GET", "/tokens", null, ADMIN).text())
                    .contains("\"board\"", "\"ada\"", "\"file\"")
                    .doesNotContain(token);
        }
        assertThat(send(1, "POST", "/tokens", "{\"name\":\"board\",\"role\":\"admin\"}", ADMIN)
                        .status())
                .isEqualTo(409);
        assertThat(send(2, "DELETE", "/tokens/board", null, ADMIN).status()).isEqualTo(204);
        for (int i = 0; i < NODES; i++) {
            assertThat(send(i, "GET", "/nodes", null, token).status()).isEqualTo(401);
        }
    }

    @Test
    void usersAndRulesOfOneNodeHoldAtAll() throws Exception {
        user(1, "ann");
        user(2, "bob");
        for (int i = 0; i < NODES; i++) {
            assertThat(connect(i, 5, "u", "ann")).isEqualTo(ReasonCode.SUCCESS);
            assertThat(publish(i, "ann", "open")).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
            assertThat(publish(i, "bob", "open")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
        Got set = send(0, "PUT", "/rules", "{\"api\":[\"allow publish user bob #\"]}", ADMIN);
        assertThat(set.status()).as(set.text()).isEqualTo(204);
        for (int i = 0; i < NODES; i++) {
            assertThat(publish(i, "bob", "open")).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
            assertThat(publish(i, "bob", "locked/1")).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(send(i, "GET", "/users", null, ADMIN).text())
                    .contains("\"ann\"", "bcrypt")
                    .doesNotContain("$2b$", PASSWORD);
        }
        assertThat(send(2, "DELETE", "/users/ann", null, ADMIN).status()).isEqualTo(204);
        for (int i = 0; i < NODES; i++) {
            assertThat(connect(i, 5, "u", "ann")).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
            assertThat(node(i).said()).doesNotContain(PASSWORD);
        }
    }

    private static ReasonCode publish(int node, String user, String topic) {
        try (TestClient client = new TestClient(node(node).address(), 5)) {
            assertThat(connect(client, 5, "p-" + user, user, PASSWORD)).isEqualTo(ReasonCode.SUCCESS);
            client.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, topic, "x"));
            return client.receive(PubAck.class).reasonCode();
        }
    }
}
