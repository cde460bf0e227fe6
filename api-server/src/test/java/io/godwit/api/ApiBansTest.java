package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.ApiFixture.Got;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.TokenFile.Entry;
import io.godwit.api.auth.TokenText;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bans, and the end of a connection with one. */
class ApiBansTest {
    private static final String BANS = "/api/v1/bans";
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String OPERATOR = TokenText.make(RANDOM);
    private static final String OF_TENANT = TokenText.make(RANDOM);
    private static final String VIEWER = TokenText.make(RANDOM);

    @TempDir
    private Path directory;

    private ApiFixture api;
    private FakeRecords fake;

    @BeforeEach
    void open() throws Exception {
        Path file = directory.resolve("tokens");
        Files.writeString(
                file,
                TokenFile.parse("")
                        .with(Entry.ofToken("vic", Role.VIEWER, "", VIEWER))
                        .with(Entry.ofToken("ola", Role.OPERATOR, "", OPERATOR))
                        .with(Entry.ofToken("ten", Role.OPERATOR, "t1", OF_TENANT))
                        .text());
        api = ApiFixture.withTokens(file);
        fake = api.node.records;
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

    private static String body(String kind, String subject) {
        return new JsonObject().put("kind", kind).put("subject", subject).encode();
    }

    @Test
    void aBanIsMadeReplacedListedAndLifted() throws Exception {
        JsonObject wanted = new JsonObject()
                .put("kind", "client")
                .put("subject", "lamp/\u00e9")
                .put("seconds", 60)
                .put("reason", "floods");
        Got made = send("POST", BANS, wanted.encode(), OPERATOR);
        assertThat(made.status()).as(made.text()).isEqualTo(201);
        JsonObject ban = made.json().getJsonObject("item");
        assertThat(ban.getMap())
                .containsEntry("tenant", "default")
                .containsEntry("kind", "client")
                .containsEntry("subject", "lamp/\u00e9")
                .containsEntry("reason", "floods")
                .containsEntry("by", "ola")
                .containsEntry("untilMillis", FakeRecords.START + 60_000)
                .containsEntry("sinceMillis", FakeRecords.START);

        Got again = send("POST", BANS, body("client", "lamp/\u00e9"), OPERATOR);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.json().getJsonObject("item").getLong("untilMillis")).isEqualTo(-1);
        assertThat(again.json().getJsonObject("item").getString("id")).isEqualTo(ban.getString("id"));

        assertThat(send("POST", BANS, body("address", "10.0.0.0/8"), OPERATOR).status())
                .isEqualTo(201);
        assertThat(send("GET", BANS, null, VIEWER).json().getJsonArray("items")).hasSize(2);
        assertThat(send("GET", BANS + "?kind=address&fields=subject", null, VIEWER)
                        .json()
                        .getJsonArray("items")
                        .encode())
                .isEqualTo("[{\"subject\":\"10.0.0.0/8\"}]");

        String path = BANS + "/" + ban.getString("id");
        assertThat(send("DELETE", path, null, OPERATOR).status()).isEqualTo(204);
        assertThat(send("DELETE", path, null, OPERATOR).status()).isEqualTo(404);
    }

    @Test
    void pagesHaveEachBanOnce() throws Exception {
        for (int i = 0; i < 7; i++) {
            send("POST", BANS, body("user", "u" + i), OPERATOR);
        }
        Set<String> seen = new HashSet<>();
        String query = "?limit=3";
        for (int pages = 1; ; pages++) {
            JsonObject page = send("GET", BANS + query, null, VIEWER).json();
            page.getJsonArray("items")
                    .forEach(each -> assertThat(seen.add(((JsonObject) each).getString("subject")))
                            .isTrue());
            if (!page.containsKey("next")) {
                assertThat(pages).isEqualTo(3);
                break;
            }
            query = "?limit=3&cursor=" + page.getString("next");
        }
        assertThat(seen).hasSize(7);
        assertThat(send("GET", BANS + "?cursor=eA", null, VIEWER).field()).isEqualTo("cursor");
    }

    private static final String AUTO = "auto-f-00000000c0000207";

    @Test
    void bansThatNodesMakeByThemselvesAreListedByNode() throws Exception {
        send("POST", BANS, body("address", "10.0.0.0/8"), OPERATOR);
        fake.ban("node-a", AUTO, "192.0.2.7", "failed logins");
        fake.ban("node-b", AUTO, "192.0.2.7", "failed logins");
        fake.missing = List.of("node-c");
        JsonObject all = send("GET", BANS, null, VIEWER).json();
        assertThat(all.getJsonArray("items")).hasSize(3);
        assertThat(all.getJsonArray("missingNodes")).containsExactly("node-c");
        JsonObject first =
                send("GET", BANS + "?automatic=true&limit=1", null, VIEWER).json();
        assertThat(first.getJsonArray("items").getJsonObject(0).getMap())
                .containsEntry("id", AUTO)
                .containsEntry("automatic", true)
                .containsEntry("node", "node-a")
                .containsEntry("reason", "failed logins")
                .containsEntry("untilMillis", FakeRecords.START + 60_000)
                .containsEntry("by", "");
        JsonObject second = send(
                        "GET", BANS + "?automatic=true&limit=1&cursor=" + first.getString("next"), null, VIEWER)
                .json();
        assertThat(second.getJsonArray("items").getJsonObject(0).getString("node"))
                .isEqualTo("node-b");
        assertThat(second.containsKey("next")).isFalse();
        JsonObject own = send("GET", BANS + "?automatic=false", null, VIEWER).json();
        assertThat(own.getJsonArray("items")).hasSize(1);
        assertThat(own.getJsonArray("items").getJsonObject(0).getBoolean("automatic"))
                .isFalse();
        assertThat(send("GET", BANS + "?automatic=perhaps", null, VIEWER).field())
                .isEqualTo("automatic");
        assertThat(send("GET", BANS, null, OF_TENANT).json().getJsonArray("items"))
                .isEmpty();
    }

    /** While a node does not answer, it is unknown whether the ban still exists. */
    @Test
    void aBanOfNodesIsLiftedOnAllOfThem() throws Exception {
        fake.ban("node-a", AUTO, "192.0.2.7", "failed logins");
        fake.ban("node-b", AUTO, "192.0.2.7", "failed logins");
        String path = BANS + "/" + AUTO;
        assertThat(send("DELETE", path, null, VIEWER).status()).isEqualTo(403);
        assertThat(send("DELETE", path, null, OF_TENANT).status()).isEqualTo(404);
        fake.missing = List.of("node-c");
        for (int i = 0; i < 2; i++) {
            Got open = send("DELETE", path, null, OPERATOR);
            assertThat(open.status()).isEqualTo(503);
            assertThat(open.problem()).isEqualTo("nodes-missing");
            assertThat(open.json().getJsonArray("missingNodes")).containsExactly("node-c");
            assertThat(open.json().getString("detail")).contains(i == 0 ? "is lifted" : "there is no ban");
        }
        assertThat(fake.automatic).isEmpty();
        fake.missing = List.of();
        fake.ban("node-a", AUTO, "192.0.2.7", "failed logins");
        assertThat(send("DELETE", path, null, OPERATOR).status()).isEqualTo(204);
        assertThat(send("DELETE", path, null, OPERATOR).status()).isEqualTo(404);
    }

    @Test
    void aTokenOfATenantBansThereAndNoAddresses() throws Exception {
        assertThat(send("POST", BANS, body("client", "lamp"), OF_TENANT)
                        .json()
                        .getJsonObject("item")
                        .getString("tenant"))
                .isEqualTo("t1");
        assertThat(send("POST", BANS + "?tenant=t2", body("client", "lamp"), OF_TENANT)
                        .status())
                .isEqualTo(403);
        assertThat(send("POST", BANS, body("address", "10.0.0.1"), OF_TENANT).status())
                .isEqualTo(403);
        String others = send("POST", BANS, body("client", "lamp"), OPERATOR)
                .json()
                .getJsonObject("item")
                .getString("id");
        send("POST", BANS, body("address", "10.0.0.1"), OPERATOR);
        assertThat(send("DELETE", BANS + "/" + others, null, OF_TENANT).status())
                .isEqualTo(404);
        assertThat(send("GET", BANS, null, OF_TENANT).json().getJsonArray("items"))
                .hasSize(1);
        assertThat(fake.bans).hasSize(3);
        assertThat(send("POST", BANS, body("client", "x"), VIEWER).status()).isEqualTo(403);
    }

    @ParameterizedTest
    @CsvSource({
        "client, '', '', subject",
        "client, 'a\0b', '', subject",
        "address, here, '', subject",
        "mac, x, '', kind",
        "client, x, '\"seconds\":0,', seconds",
        "client, x, '\"seconds\":3153600001,', seconds",
        "client, x, '\"until\":5,', until"
    })
    void whatIsWrongIsNamed(String kind, String subject, String more, String field) throws Exception {
        String body = "{" + more + body(kind, subject).substring(1);
        Got got = send("POST", BANS, body, OPERATOR);
        assertThat(got.status()).isEqualTo(400);
        assertThat(got.field()).isEqualTo(field);
        assertThat(fake.bans).isEmpty();
    }

    @Test
    void halfOfASurrogatePairAndTooManyBytesAreRefused() throws Exception {
        assertThat(send("POST", BANS, "{\"kind\":\"client\",\"subject\":\"\\ud800\"}", OPERATOR)
                        .field())
                .isEqualTo("subject");
        String longest = "x".repeat(8_192);
        assertThat(send("DELETE", "/api/v1/clients/" + longest + "x?banSeconds=1", null, OPERATOR)
                        .field())
                .isEqualTo("clientId");
        assertThat(send("DELETE", "/api/v1/clients/" + longest + "?banSeconds=1", null, OPERATOR)
                        .status())
                .isEqualTo(200);
        assertThat(send("POST", BANS + "?tenant=t1", body("address", "10.0.0.1"), OPERATOR)
                        .field())
                .isEqualTo("tenant");
    }

    @Test
    void aFullTableAndAStoreThatDoesNotAnswerAreTold() throws Exception {
        fake.mostBans = 0;
        Got full = send("POST", BANS, body("client", "x"), OPERATOR);
        assertThat(full.status()).isEqualTo(409);
        assertThat(full.problem()).isEqualTo("limit-reached");
        fake.mostBans = 9;
        fake.isStoreGone = true;
        assertThat(send("POST", BANS, body("client", "x"), OPERATOR).status()).isEqualTo(503);
        assertThat(send("DELETE", BANS + "/x", null, OPERATOR).status()).isEqualTo(503);
    }

    @Test
    void aClientIsBannedBeforeItsConnectionIsEnded() throws Exception {
        api.node.add("default", "lamp", "ann", 5, true, 0);
        Got got = send("DELETE", "/api/v1/clients/lamp?banSeconds=60&reason=floods", null, OPERATOR);
        assertThat(got.status()).as(got.text()).isEqualTo(200);
        assertThat(got.json().getJsonObject("item").getMap())
                .containsEntry("subject", "lamp")
                .containsEntry("reason", "floods")
                .containsEntry("untilMillis", FakeRecords.START + 60_000);
        assertThat(api.node.disconnected).hasSize(1);
        assertThat(send("DELETE", "/api/v1/clients/gone?banSeconds=60", null, OPERATOR)
                        .status())
                .as("a client that is not connected can be banned")
                .isEqualTo(200);
        assertThat(fake.bans).hasSize(2);
        assertThat(send("DELETE", "/api/v1/clients/lamp?reason=x", null, OPERATOR)
                        .field())
                .isEqualTo("reason");

        fake.isStoreGone = true;
        int before = api.node.disconnected.size();
        assertThat(send("DELETE", "/api/v1/clients/lamp?banSeconds=60", null, OPERATOR)
                        .status())
                .isEqualTo(503);
        assertThat(api.node.disconnected)
                .as("no client is disconnected if its ban was refused")
                .hasSize(before);
    }

    /** A refusal would wrongly say that nothing was done. */
    @Test
    void aBanIsToldThoughItsConnectionCannotBeEnded() throws Exception {
        api.node.add("default", "lamp", "ann", 5, true, 0);
        String path = "/api/v1/clients/lamp?banSeconds=60";
        assertThat(send("DELETE", path, null, OPERATOR).json().getBoolean("mayBeConnected"))
                .isFalse();
        api.node.isBusy = true;
        Got got = send("DELETE", path, null, OPERATOR);
        assertThat(got.status()).as(got.text()).isEqualTo(200);
        assertThat(got.json().getBoolean("mayBeConnected")).isTrue();
        assertThat(got.json().getJsonObject("item").getString("subject")).isEqualTo("lamp");
        assertThat(send("DELETE", "/api/v1/clients/lamp", null, OPERATOR).status())
                .as("a disconnect without a ban changes nothing")
                .isEqualTo(503);
        api.node.isBusy = false;
        api.node.missing = List.of("node-b");
        assertThat(send("DELETE", path, null, OPERATOR).json().getBoolean("mayBeConnected"))
                .isTrue();
    }

    /** Many subjects at once would need many records, each confirmed by all nodes. */
    @Test
    void aRequestNamesOneSubjectOrAddress() throws Exception {
        String[] bearer = {"Authorization", "Bearer " + OPERATOR, "Content-Type", "application/json"};
        String many = "{\"kind\":\"address\",\"subject\":[\"10.0.0.1\",\"10.0.0.2\"]}";
        assertThat(api.send("POST", "/api/v1/bans", many, bearer).field()).isEqualTo("subject");
        assertThat(api.get("/api/v1/clients?address=10.0.0.1&address=10.0.0.2", bearer)
                        .field())
                .isEqualTo("address");
        assertThat(api.get("/api/v1/clients?address=" + "1".repeat(65), bearer).field())
                .isEqualTo("address");
    }
}
