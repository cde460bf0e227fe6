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
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Users and rules of the auth provider file. */
class ApiUsersTest {
    private static final String USERS = "/api/v1/users";

    private ApiFixture api;
    private FakeUsers fake;

    @BeforeEach
    void open() throws Exception {
        api = ApiFixture.open();
        fake = api.node.users;
    }

    @AfterEach
    void close() {
        api.close();
    }

    private Got put(String path, String body) throws Exception {
        return api.send("PUT", path, body, "Content-Type", "application/json");
    }

    @Test
    void aUserIsMadeChangedListedAndRemoved() throws Exception {
        assertThat(put(USERS + "/ann%2Fb", "{\"password\":\"s\u00e9cret\"}").status())
                .isEqualTo(201);
        assertThat(fake.passwords).containsEntry("ann/b", "s\u00e9cret");
        Got again = put(USERS + "/ann%2Fb", "{\"password\":\"other\",\"hash\":\"scram\"}");
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.json().getBoolean("new")).isFalse();
        JsonArray items = api.get(USERS).json().getJsonArray("items");
        assertThat(items.getJsonObject(0).getMap())
                .containsEntry("name", "ann/b")
                .containsEntry("source", "api")
                .containsEntry("hash", "SCRAM")
                .containsEntry("by", "local");
        assertThat(items.getJsonObject(1).getMap())
                .containsEntry("name", "root")
                .containsEntry("source", "file");
        JsonObject page = api.get(USERS + "?limit=1").json();
        assertThat(api.get(USERS + "?limit=1&cursor=" + page.getString("next"))
                        .json()
                        .getJsonArray("items")
                        .getJsonObject(0)
                        .getString("name"))
                .isEqualTo("root");
        assertThat(api.send("DELETE", USERS + "/ann%2Fb", null).status()).isEqualTo(204);
        assertThat(api.send("DELETE", USERS + "/ann%2Fb", null).status()).isEqualTo(404);
    }

    @Test
    void usersOfTheFileAreChangedThere() throws Exception {
        assertThat(put(USERS + "/root", "{\"password\":\"x\"}").status()).isEqualTo(403);
        assertThat(api.send("DELETE", USERS + "/root", null).status()).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:b", "%23a", "%20a", "a%20", "a%0Ab", "a%00"})
    void whatIsNoUserNameIsRefused(String name) throws Exception {
        assertThat(put(USERS + "/" + name, "{\"password\":\"x\"}").field()).isEqualTo("name");
        assertThat(fake.shared).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"password\":\"\"}",
                "{\"password\":5}",
                "{\"password\":\"\\ud800\"}",
                "{\"password\":\"x\",\"hash\":\"md5\"}"
            })
    void whatIsNoPasswordIsRefused(String body) throws Exception {
        assertThat(put(USERS + "/ann", body).status()).isEqualTo(400);
        assertThat(put(
                                USERS + "/ann",
                                new JsonObject().put("password", "x".repeat(73)).encode())
                        .field())
                .isEqualTo("password");
        assertThat(fake.shared).isEmpty();
    }

    @Test
    void aPasswordIsInNoLog() throws Exception {
        Logger audit = (Logger) LoggerFactory.getLogger("io.godwit.audit");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        audit.setLevel(Level.INFO);
        audit.addAppender(log);
        try {
            put(USERS + "/ann", "{\"password\":\"very-secret\",\"hash\":\"bcrypt\"}");
            assertThat(List.copyOf(log.list))
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .anyMatch(line -> line.contains("setUser") && line.contains("ann"))
                    .noneMatch(line -> line.contains("very-secret"));
        } finally {
            audit.detachAppender(log);
            audit.setLevel(null);
        }
    }

    @Test
    void rulesAreSetAsAWhole() throws Exception {
        assertThat(put("/api/v1/rules", "{\"api\":[\"allow all user ann #\",\"deny all all #\"]}")
                        .status())
                .isEqualTo(204);
        JsonObject rules = api.get("/api/v1/rules").json();
        assertThat(rules.getJsonArray("file")).containsExactly("allow all user root #");
        assertThat(rules.getJsonArray("api")).containsExactly("allow all user ann #", "deny all all #");
        assertThat(rules.getString("by")).isEqualTo("local");
        Got wrong = put("/api/v1/rules", "{\"api\":[\"allow\"]}");
        assertThat(wrong.field()).isEqualTo("api");
        assertThat(put("/api/v1/rules", "{\"api\":[\"allow all all a\\nb\"]}").field())
                .isEqualTo("api");
        assertThat(api.get("/api/v1/rules").json().getJsonArray("api")).hasSize(2);
    }

    private Got setRules(String rule, String ifMatch) throws Exception {
        return api.send(
                "PUT",
                "/api/v1/rules",
                "{\"api\":[\"" + rule + "\"]}",
                "Content-Type",
                "application/json",
                "If-Match",
                ifMatch);
    }

    /** Two operators have read the same rules: the second must not undo the change of the first. */
    @Test
    void rulesThatWereChangedMeanwhileAreNotReplaced() throws Exception {
        Got read = api.get("/api/v1/rules");
        String tag = read.header("ETag");
        assertThat(tag).isEqualTo('"' + read.json().getString("version") + '"');
        assertThat(setRules("allow all all first", tag).status()).isEqualTo(204);
        Got late = setRules("allow all all second", tag);
        assertThat(late.status()).isEqualTo(412);
        assertThat(late.problem()).isEqualTo("changed");
        assertThat(setRules("allow all all second", "").status())
                .as("an empty If-Match header matches no version")
                .isEqualTo(412);
        assertThat(setRules(
                                "allow all all second",
                                "W/" + api.get("/api/v1/rules").header("ETag"))
                        .status())
                .isEqualTo(412);
        assertThat(setRules("allow all all second", "nonsense").status()).isEqualTo(412);
        assertThat(fake.rules.shared()).containsExactly("allow all all first");
        String now = api.get("/api/v1/rules").header("ETag");
        assertThat(setRules("allow all all second", "\"other\", " + now).status())
                .isEqualTo(204);
        assertThat(setRules("allow all all third", "*").status()).isEqualTo(204);
        assertThat(put("/api/v1/rules", "{\"api\":[]}").status()).isEqualTo(204);
    }

    @Test
    void anOperatorLooksAndAnAdministratorChanges(@TempDir Path directory) throws Exception {
        String operator = TokenText.make(new SecureRandom());
        Path file = directory.resolve("tokens");
        Files.writeString(
                file,
                TokenFile.parse("")
                        .with(Entry.ofToken("ola", Role.OPERATOR, "", operator))
                        .text());
        try (ApiFixture closed = ApiFixture.withTokens(file)) {
            String[] bearer = {"Authorization", "Bearer " + operator, "Content-Type", "application/json"};
            assertThat(closed.get(USERS, "Authorization", "Bearer " + operator).status())
                    .isEqualTo(200);
            assertThat(closed.send("PUT", USERS + "/ann", "{\"password\":\"x\"}", bearer)
                            .status())
                    .isEqualTo(403);
            assertThat(closed.send("PUT", "/api/v1/rules", "{\"api\":[]}", bearer)
                            .status())
                    .isEqualTo(403);
            assertThat(closed.node.users.shared).isEmpty();
        }
    }
}
