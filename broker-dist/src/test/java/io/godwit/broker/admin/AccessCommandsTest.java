package io.godwit.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The commands for users, tokens, rules and bans: their requests to the HTTP API, and what they print. */
class AccessCommandsTest extends ApiCommandsFixture {
    @Test
    void bansOfNodesAreListedWithTheirNode() {
        api.answers(200, """
                {"items": [{"id": "auto-f-00000000c0000207", "kind": "address", "subject": "192.0.2.7", "tenant": "",
                            "untilMillis": 1795747733285, "reason": "failed logins", "by": "", "automatic": true,
                            "node": "0123456789abcdef"}],
                 "missingNodes": ["n3"]}""");
        ApiRun run = run("bans", "--automatic", "--kind", "address");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out().lines().toList().get(1))
                .matches("auto-f-0+c0000207 +address +192.0.2.7 +- +2026-11-27T02:48:53Z +- +yes +01234567 +"
                        + "failed logins");
        assertThat(run.err()).contains("nodes that did not answer", "n3");
        assertThat(api.last().path()).startsWith("/api/v1/bans?kind=address&automatic=true&");
        assertThat(run("bans", "--automatic=false").code()).isZero();
        assertThat(api.last().path()).startsWith("/api/v1/bans?automatic=false&");
        assertThat(run("bans").code()).isZero();
        assertThat(api.last().path()).doesNotContain("automatic=");
    }

    @Test
    void usersAreSetAndRemoved() throws Exception {
        Path password = Files.writeString(directory.resolve("password"), "s\u00e9 cret\nsecond line\n");
        api.handle(exchange -> FakeApi.answer(exchange, 201, "{\"new\": true}"));
        ApiRun run = run("users", "set", "a/b", "--password-file", password.toString(), "--hash", "scram");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).contains("made a/b").doesNotContain("cret");
        assertThat(api.last().method() + api.last().path()).isEqualTo("PUT/api/v1/users/a%2Fb");
        assertThat(api.last().json())
                .isEqualTo(JsonParser.parseString("{\"password\": \"s\u00e9 cret\", \"hash\": \"scram\"}"));
        api.answers(200, "{\"new\": false}");
        assertThat(run("users", "set", "a", "--password-file", password.toString())
                        .out())
                .contains("a has another password");
        assertThat(api.last().json().has("hash")).isFalse();
        api.handle(exchange -> FakeApi.answer(exchange, 204, ""));
        assertThat(run("users", "remove", "a/b").out()).contains("removed a/b");
        assertThat(api.last().method() + api.last().path()).isEqualTo("DELETE/api/v1/users/a%2Fb");
        api.answers(200, "{\"items\": [{\"name\": \"a\", \"source\": \"api\"}]}");
        assertThat(run("users").out()).containsPattern("(?m)^a +api ");
        int before = api.asked.size();
        Files.writeString(password, "\n");
        assertThat(run("users", "set", "a", "--password-file", password.toString())
                        .code())
                .isEqualTo(2);
        Files.write(password, new byte[] {(byte) 0xff});
        assertThat(run("users", "set", "a", "--password-file", password.toString())
                        .code())
                .isEqualTo(2);
        assertThat(run("users", "set", "a", "--password-file", "/nowhere").code())
                .isEqualTo(2);
        assertThat(api.asked).hasSize(before);
    }

    @Test
    void tokensAreAddedAndRemoved() {
        api.handle(
                exchange -> FakeApi.answer(exchange, 201, "{\"item\": {\"name\": \"board\"}, \"token\": \"gdw_x\"}"));
        ApiRun run = run("tokens", "add", "board", "--role", "viewer", "--tenant", "t1", "--seconds", "60");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out().lines()).contains("godwit-admin: added board", "gdw_x");
        assertThat(api.last().method() + api.last().path()).isEqualTo("POST/api/v1/tokens");
        assertThat(api.last().json())
                .isEqualTo(JsonParser.parseString(
                        "{\"name\": \"board\", \"role\": \"viewer\", " + "\"tenant\": \"t1\", \"seconds\": 60}"));
        ApiRun json = run("tokens", "add", "board", "--role", "admin", "--json");
        assertThat(JsonParser.parseString(json.out())
                        .getAsJsonObject()
                        .get("token")
                        .getAsString())
                .isEqualTo("gdw_x");
        api.handle(exchange -> FakeApi.answer(exchange, 201, "{\"item\": {\"name\": \"ops\"}}"));
        assertThat(run("tokens", "add", "ops", "--role", "operator", "--subject", "CN=ops")
                        .out())
                .isEqualToIgnoringNewLines("godwit-admin: added ops");
        assertThat(api.last().json().get("subject").getAsString()).isEqualTo("CN=ops");
        api.handle(exchange -> FakeApi.answer(exchange, 204, ""));
        assertThat(run("tokens", "remove", "ops").out()).contains("removed ops");
        assertThat(api.last().method() + api.last().path()).isEqualTo("DELETE/api/v1/tokens/ops");
        assertThat(run("tokens", "add", "ops").code()).isEqualTo(2);
        assertThat(run("tokens", "add", "ops", "--role", "king").code()).isEqualTo(2);
    }

    /** Another operator sets rules between the two requests of the command, which must not be lost. */
    @Test
    void aRuleIsAddedToWhatIsThereThen() throws Exception {
        List<String> set = new ArrayList<>();
        AtomicInteger version = new AtomicInteger(7);
        api.handle(exchange -> {
            if (exchange.getRequestMethod().equals("GET")) {
                FakeApi.answer(
                        exchange,
                        200,
                        "{\"file\": [], \"api\": [\"deny all all " + version + "\"], \"version\": \"" + version
                                + "\"}");
                version.compareAndSet(7, 8); // somebody else
            } else if (exchange.getRequestHeaders().getFirst("If-Match").equals("\"" + version + "\"")) {
                set.add(api.last().json().get("api").toString());
                FakeApi.answer(exchange, 204, "");
            } else {
                FakeApi.answer(exchange, 412, FakeApi.problem("changed", 412, "others"));
            }
        });
        assertThat(run("rules", "add", "allow all all x").code()).isZero();
        assertThat(set).containsExactly("[\"deny all all 8\",\"allow all all x\"]");
    }

    @Test
    void rulesAreListedAddedAndRemoved() throws Exception {
        List<String> set = new ArrayList<>();
        api.handle(exchange -> {
            if (exchange.getRequestMethod().equals("PUT")) {
                set.add(api.last().json().get("api").toString());
                FakeApi.answer(exchange, 204, "");
            } else {
                FakeApi.answer(
                        exchange,
                        200,
                        "{\"file\": [\"allow all all f\"], \"api\": [\"deny all all a\", \"deny all all b\"]}");
            }
        });
        assertThat(run("rules").out().lines().skip(1).map(line -> line.replaceAll(" +", " ")))
                .containsExactly("file allow all all f", "api deny all all a", "api deny all all b");
        assertThat(run("rules", "add", "deny all all c").out()).contains("added deny all all c");
        assertThat(run("rules", "add", "deny", "all", "all", "d", "--first").code())
                .isZero();
        assertThat(run("rules", "remove", "deny all all a").out()).contains("removed deny all all a");
        Path file = Files.writeString(directory.resolve("rules"), "# none\n\nallow all all x\n");
        assertThat(run("rules", "set", file.toString()).out()).contains("set 1 rule");
        assertThat(set)
                .containsExactly(
                        "[\"deny all all a\",\"deny all all b\",\"deny all all c\"]",
                        "[\"deny all all d\",\"deny all all a\",\"deny all all b\"]",
                        "[\"deny all all b\"]",
                        "[\"allow all all x\"]");
        assertThat(run("rules", "add", "deny all all b").code()).isEqualTo(4);
        assertThat(run("rules", "remove", "allow all all f").code()).isEqualTo(6);
        assertThat(run("rules", "remove").code()).isEqualTo(2);
        assertThat(set).hasSize(4);
    }
}
