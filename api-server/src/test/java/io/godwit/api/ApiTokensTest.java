package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.godwit.api.ApiFixture.Got;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.TokenFile.Entry;
import io.godwit.api.auth.TokenText;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Tokens that are made by API, beside those of the file. */
class ApiTokensTest {
    private static final String TOKENS = "/api/v1/tokens";
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String ADMIN = TokenText.make(RANDOM);
    private static final String OPERATOR = TokenText.make(RANDOM);
    private static final String OF_TENANT = TokenText.make(RANDOM);

    @TempDir
    private Path directory;

    private ApiFixture api;

    @BeforeEach
    void open() throws Exception {
        Path file = directory.resolve("tokens");
        Files.writeString(
                file,
                TokenFile.parse("")
                        .with(Entry.ofToken("ada", Role.ADMIN, "", ADMIN))
                        .with(Entry.ofToken("ola", Role.OPERATOR, "", OPERATOR))
                        .with(Entry.ofToken("ten", Role.ADMIN, "t1", OF_TENANT))
                        .text());
        api = ApiFixture.withTokens(file);
    }

    @AfterEach
    void close() {
        api.close();
    }

    private Got send(String method, String path, @Nullable String body, String token) throws Exception {
        return body == null
                ? api.send(method, path, null, "Authorization", "Bearer " + token)
                : api.send(method, path, body, "Authorization", "Bearer " + token, "Content-Type", "application/json");
    }

    private static JsonObject wanted(String name, String role) {
        return new JsonObject().put("name", name).put("role", role);
    }

    private String made(JsonObject wanted) throws Exception {
        Got got = send("POST", TOKENS, wanted.encode(), ADMIN);
        assertThat(got.status()).as(got.text()).isEqualTo(201);
        return got.json().getString("token");
    }

    @Test
    void aTokenIsAcceptedFromItsCreationUntilItsRemoval() throws Exception {
        String token = made(wanted("new", "viewer"));
        assertThat(token).startsWith("gdw_");
        assertThat(send("GET", "/api/v1/nodes", null, token).status()).isEqualTo(200);
        assertThat(send("GET", TOKENS, null, token).status()).isEqualTo(403);
        assertThat(send("GET", "/api/v1/me", null, token).json().getString("name"))
                .isEqualTo("new");
        Got removed = send("DELETE", TOKENS + "/new", null, ADMIN);
        assertThat(removed.status()).isEqualTo(204);
        assertThat(send("GET", "/api/v1/nodes", null, token).status()).isEqualTo(401);
        assertThat(send("DELETE", TOKENS + "/new", null, ADMIN).status()).isEqualTo(404);
    }

    @Test
    void aRequestWhoseBodyComesAfterItsTokenWasRemovedDoesNothing() throws Exception {
        String token = made(wanted("new", "operator"));
        String body = "{\"topic\": \"a\"}";
        String head = "POST /api/v1/publish HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Authorization: Bearer " + token + "\r\nContent-Type: application/json\r\nContent-Length: "
                + body.length()
                + "\r\nExpect: 100-continue\r\n\r\n";
        try (Socket socket = api.connect()) {
            socket.setSoTimeout(20_000);
            OutputStream out = socket.getOutputStream();
            out.write(head.getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().read())
                    .as("the token was valid, and the body may come")
                    .isEqualTo('H');
            assertThat(send("DELETE", TOKENS + "/new", null, ADMIN).status()).isEqualTo(204);
            out.write(body.getBytes(StandardCharsets.US_ASCII));
            assertThat(ApiFixture.readAll(socket)).contains("HTTP/1.1 401 ").contains("nothing was done");
        }
        assertThat(api.node.messages.published).isEmpty();
    }

    @Test
    void aRemovalNamesNodesThatMayStillAcceptIt() throws Exception {
        made(wanted("new", "viewer"));
        api.node.records.missing = List.of(FakeNode.OTHER);
        Got removed = send("DELETE", TOKENS + "/new", null, ADMIN);
        assertThat(removed.status()).isEqualTo(503);
        assertThat(removed.problem()).isEqualTo("nodes-missing");
        assertThat(removed.json().getJsonArray("missingNodes")).containsExactly(FakeNode.OTHER);
        assertThat(api.node.records.tokens()).isEmpty();

        Got again = send("DELETE", TOKENS + "/new", null, ADMIN);
        assertThat(again.status()).isEqualTo(503);
        assertThat(again.problem()).isEqualTo("nodes-missing");
        assertThat(again.json().getJsonArray("missingNodes")).containsExactly(FakeNode.OTHER);
        assertThat(send("DELETE", TOKENS + "/ada", null, ADMIN).status())
                .as("one of the file")
                .isEqualTo(403);
        api.node.records.missing = List.of();
        assertThat(send("DELETE", TOKENS + "/new", null, ADMIN).status()).isEqualTo(404);
    }

    @Test
    void theTextOfATokenIsInItsAnswerAlone() throws Exception {
        Logger audit = (Logger) LoggerFactory.getLogger("io.godwit.audit");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        audit.setLevel(Level.INFO);
        audit.addAppender(log);
        try {
            String token = made(wanted("new", "admin"));
            String list = send("GET", TOKENS, null, ADMIN).text();
            String hash = api.node.records.tokens().get(0).sha256();
            assertThat(hash).hasSize(64).isNotEqualTo(token);
            assertThat(list).contains("new").doesNotContain(token).doesNotContain(hash);
            assertThat(List.copyOf(log.list))
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .anyMatch(line -> line.contains("addToken") && line.contains("ada"))
                    .noneMatch(line -> line.contains(token) || line.contains(hash));
        } finally {
            audit.detachAppender(log);
            audit.setLevel(null);
        }
    }

    @Test
    void thoseOfTheFileAreListedAndChangedThereAlone() throws Exception {
        made(wanted("bob", "viewer").put("tenant", "t2").put("seconds", 60));
        JsonArray items = send("GET", TOKENS, null, ADMIN).json().getJsonArray("items");
        assertThat(items.stream().map(each -> ((JsonObject) each).getString("name")))
                .containsExactly("ada", "bob", "ola", "ten");
        assertThat(items.stream().map(each -> ((JsonObject) each).getString("source")))
                .containsExactly("file", "api", "file", "file");
        assertThat(items.getJsonObject(1).getMap())
                .containsEntry("tenant", "t2")
                .containsEntry("kind", "token")
                .containsEntry("by", "ada")
                .containsEntry("untilMillis", FakeRecords.START + 60_000);
        assertThat(send("DELETE", TOKENS + "/ola", null, ADMIN).status()).isEqualTo(403);
        assertThat(send("POST", TOKENS, wanted("ola", "admin").encode(), ADMIN).status())
                .isEqualTo(409);
        assertThat(send("POST", TOKENS, wanted("bob", "admin").encode(), ADMIN).status())
                .isEqualTo(409);

        JsonObject page = send("GET", TOKENS + "?limit=2", null, ADMIN).json();
        JsonObject rest = send("GET", TOKENS + "?limit=2&cursor=" + page.getString("next"), null, ADMIN)
                .json();
        assertThat(rest.getJsonArray("items").getJsonObject(0).getString("name"))
                .isEqualTo("ola");
        assertThat(rest.containsKey("next")).isFalse();
    }

    @Test
    void aTokenEndsAtItsTime() throws Exception {
        String token = made(wanted("short", "viewer").put("seconds", 60));
        api.node.records.now = FakeRecords.START + 59_999;
        assertThat(send("GET", "/api/v1/nodes", null, token).status()).isEqualTo(200);
        api.node.records.now = FakeRecords.START + 60_000;
        assertThat(send("GET", "/api/v1/nodes", null, token).status()).isEqualTo(401);
    }

    @Test
    void aTenantAndItsRoleBindWhatIsMade() throws Exception {
        String token = made(wanted("t", "operator").put("tenant", "t2"));
        assertThat(send("GET", "/api/v1/clients?tenant=t1", null, token).status())
                .isEqualTo(403);
        assertThat(send("GET", "/api/v1/nodes", null, token).status()).isEqualTo(403);
        for (String who : List.of(OF_TENANT, OPERATOR)) {
            assertThat(send("GET", TOKENS, null, who).status()).isEqualTo(403);
            assertThat(send("POST", TOKENS, wanted("x", "viewer").encode(), who).status())
                    .isEqualTo(403);
            assertThat(send("DELETE", TOKENS + "/t", null, who).status()).isEqualTo(403);
        }
        assertThat(api.node.records.tokens()).hasSize(1);
    }

    @Test
    void aCertificateIsLetInBySubjectWithoutAToken() throws Exception {
        Got got = send(
                "POST",
                TOKENS,
                wanted("cert", "viewer").put("subject", "CN=ops,O=birds").encode(),
                ADMIN);
        assertThat(got.status()).as(got.text()).isEqualTo(201);
        assertThat(got.json().containsKey("token")).isFalse();
        assertThat(got.json().getJsonObject("item").getString("kind")).isEqualTo("certificate");
        Got same = send(
                "POST",
                TOKENS,
                wanted("twice", "admin").put("subject", "cn=OPS, O=birds").encode(),
                ADMIN);
        assertThat(same.status()).as("the same name in another spelling").isEqualTo(409);
        assertThat(send(
                                "POST",
                                TOKENS,
                                wanted("bad", "admin").put("subject", "ops").encode(),
                                ADMIN)
                        .field())
                .isEqualTo("subject");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"name\":\".\",\"role\":\"admin\"}",
                "{\"name\":\"a b\",\"role\":\"admin\"}",
                "{\"name\":\"a:b\",\"role\":\"admin\"}",
                "{\"name\":\"a\",\"role\":\"root\"}",
                "{\"name\":\"a\"}",
                "{\"name\":\"a\",\"role\":\"admin\",\"tenant\":\"a:b\"}",
                "{\"name\":\"a\",\"role\":\"admin\",\"token\":\"mine\"}",
                "{\"name\":\"a\",\"role\":\"admin\",\"seconds\":0}"
            })
    void wrongBodiesAreRefused(String body) throws Exception {
        assertThat(send("POST", TOKENS, body, ADMIN).status()).isEqualTo(400);
        assertThat(api.node.records.tokens()).isEmpty();
    }

    @Test
    void aStoreThatDoesNotAnswerMakesNoToken() throws Exception {
        api.node.records.isStoreGone = true;
        Got got = send("POST", TOKENS, wanted("new", "viewer").encode(), ADMIN);
        assertThat(got.status()).isEqualTo(503);
        assertThat(got.text()).doesNotContain("gdw_");
    }

    /** Programs of the broker's user are administrators there, as before. */
    @Test
    void withoutATokensFileNobodyNeedsOne() throws Exception {
        try (ApiFixture open = ApiFixture.open()) {
            Got got = open.send("POST", TOKENS, wanted("new", "viewer").encode(), "Content-Type", "application/json");
            assertThat(got.status()).isEqualTo(201);
            assertThat(open.get("/api/v1/nodes").status()).isEqualTo(200);
            assertThat(open.get(
                                    "/api/v1/me",
                                    "Authorization",
                                    "Bearer " + got.json().getString("token"))
                            .json()
                            .getString("name"))
                    .isEqualTo("local");
            assertThat(open.node.records.add(open.node.records.tokens().get(0), Duration.ofSeconds(1)))
                    .isCompletedWithValue(false);
        }
    }
}
