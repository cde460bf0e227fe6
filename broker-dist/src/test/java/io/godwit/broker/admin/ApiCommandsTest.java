package io.godwit.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.broker.admin.http.LocalApi;
import io.godwit.broker.admin.terminal.Screen;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The requests of commands to the HTTP API, and what they print of the answers. */
class ApiCommandsTest extends ApiCommandsFixture {
    private static final String HOSTILE = "\u001b[2J<b>\u202e";

    private static String client(String clientId) {
        JsonObject client = new JsonObject();
        client.addProperty("clientId", clientId);
        client.addProperty("userName", "");
        client.addProperty("node", "0123456789abcdef");
        client.addProperty("connectedAtMillis", 1_795_747_733_285L);
        return client.toString();
    }

    private static String page(String items, String rest) {
        return "{\"items\": [" + items + "], \"missingNodes\": []" + rest + "}";
    }

    @Test
    void clientsArePutIntoATableWithoutWhatWouldMoveTheCursor() {
        api.answers(200, page(client("ann") + "," + client(HOSTILE), ""));
        ApiRun run = run("clients", "--contains", "a/b +&\u00fc", "--protocol", "5", "--tenant", "birds");
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        assertThat(run.out().lines().toList().get(0)).startsWith("CLIENT").contains("USER", "NODE", "CONNECTED");
        assertThat(run.out().lines().toList().get(1)).matches("ann +- +- +01234567 +.*2026-11-27T02:48:53Z");
        assertThat(run.out()).contains("\\x1b[2J<b>\\u202e").doesNotContain("\u001b", "\u202e");
        assertThat(api.last().path())
                .startsWith("/api/v1/clients?clientIdContains=a%2Fb%20%2B%26%C3%BC&protocol=5&tenant=birds&limit=1000")
                .contains("fields=clientId%2Ctenant%2CuserName");
        assertThat(api.last().token()).isEmpty();
    }

    private static String client(String id, String tenant) {
        JsonObject client = JsonParser.parseString(client(id)).getAsJsonObject();
        client.addProperty("tenant", tenant);
        return client.toString();
    }

    @Test
    void clientsAndSessionsOfTenantsAreToldApart() {
        api.answers(200, page(client("gull", "default") + "," + client("gull", "birds"), ""));
        for (String list : List.of("clients", "sessions")) {
            List<String> lines = run(list).out().lines().toList();
            assertThat(lines.get(0)).matches("CLIENT +TENANT +USER +.*");
            assertThat(lines.get(1)).matches("gull +default +- .*");
            assertThat(lines.get(2)).matches("gull +birds +- .*");
        }
    }

    @Test
    void theColumnOfTenantsIsOnlyThereIfItIsNeeded() {
        api.answers(200, page(client("gull", "default"), ""));
        assertThat(run("clients").out()).doesNotContain("TENANT", "default");
        assertThat(run("sessions").out()).doesNotContain("TENANT", "default");

        api.asked.clear();
        api.answers(
                200,
                page(client("a", "default"), ", \"next\": \"n1\""),
                page(client("b", "birds"), ", \"next\": \"n2\""),
                page(client("c", "default"), ""));
        List<String> lines = run("clients").out().lines().toList();
        assertThat(lines).hasSize(5);
        assertThat(lines.get(0)).startsWith("CLIENT").doesNotContain("TENANT");
        assertThat(lines.get(1)).startsWith("a ");
        assertThat(lines.get(2)).matches("CLIENT +TENANT +.*");
        assertThat(lines.get(3)).matches("b +birds +.*");
        assertThat(lines.get(4)).matches("c +default +.*");
    }

    @Test
    void pagesAreJoined() {
        api.answers(
                200,
                page(client("a") + "," + client("b"), ", \"next\": \"n/1\""),
                "{\"items\": [], \"missingNodes\": [\"node-7\"], \"next\": \"n2\"}",
                page(client("c"), ""));
        ApiRun run = run("clients", "--json");
        assertThat(run.code()).isZero();
        assertThat(run.err()).contains("nodes that did not answer", "node-7");
        JsonObject all = JsonParser.parseString(run.out()).getAsJsonObject();
        JsonArray items = all.getAsJsonArray("items");
        assertThat(items).hasSize(3);
        assertThat(items.get(2)).isEqualTo(JsonParser.parseString(client("c")));
        assertThat(all.getAsJsonArray("missingNodes")).hasSize(1);
        assertThat(all.has("next")).isFalse();
        assertThat(api.asked.get(1).path()).contains("cursor=n%2F1").doesNotContain("fields");
        assertThat(api.asked.get(2).path()).contains("cursor=n2");
    }

    @Test
    void aListHasAnEnd() {
        api.answers(200, page(client("a") + "," + client("b"), ", \"next\": \"n1\""));
        ApiRun run = run("clients", "--limit", "2", "--json");
        assertThat(run.code()).isZero();
        assertThat(api.asked).hasSize(1);
        assertThat(api.last().path()).contains("limit=2");
        assertThat(run.err()).contains("the first 2; there are more");
        assertThat(JsonParser.parseString(run.out())
                        .getAsJsonObject()
                        .get("next")
                        .getAsString())
                .isEqualTo("n1");

        ApiRun endless = run("clients", "--limit", "100"); // the same cursor again
        assertThat(endless.code()).isEqualTo(1);
        assertThat(endless.err()).contains("does not end");
        assertThat(run("clients", "--limit", "0").code()).isEqualTo(2);
    }

    @Test
    void anEmptyListIsAHeadingOrAnEmptyArray() {
        api.answers(200, page("", ""));
        assertThat(run("clients").out().lines()).hasSize(1);
        assertThat(JsonParser.parseString(run("clients", "--json").out())
                        .getAsJsonObject()
                        .getAsJsonArray("items"))
                .isEmpty();
    }

    @Test
    void oneClientIsToldFieldByField() {
        api.answers(200, "{\"item\": " + client("a/b") + ", \"missingNodes\": [\"n\"]}");
        ApiRun run = run("clients", "a/b");
        assertThat(run.out()).containsPattern("(?m)^clientId +a/b$").containsPattern("(?m)^node +0123456789abcdef$");
        assertThat(run.err()).contains("missing: n");
        assertThat(api.last().path()).isEqualTo("/api/v1/clients/a%2Fb");
        assertThat(JsonParser.parseString(run("clients", "..", "--json").out()))
                .isEqualTo(JsonParser.parseString(client("a/b")));
        assertThat(api.last().path())
                .as("this client id cannot be part of a path")
                .isEqualTo("/api/v1/clients/-?id=..");
    }

    @Test
    void sessionsAreListedPurgedAndEnded() {
        api.answers(200, page("", ""));
        assertThat(run("sessions", "--disconnected", "--min-queued", "5").code())
                .isZero();
        assertThat(api.last().path()).startsWith("/api/v1/sessions?onlyDisconnected=true&minQueued=5");
        api.answers(200, "{\"messages\": 7, \"kept\": 2}");
        assertThat(run("sessions", "s 1", "--purge").out()).contains("dropped 7 messages of s 1; 2 that may");
        assertThat(api.last().method() + api.last().path()).isEqualTo("DELETE/api/v1/sessions/s%201/queue");
        api.handle(exchange -> FakeApi.answer(exchange, 204, ""));
        assertThat(run("sessions", "s", "--delete", "--tenant", "t").code()).isZero();
        assertThat(api.last().method() + api.last().path()).isEqualTo("DELETE/api/v1/sessions/s?tenant=t");
        int before = api.asked.size();
        assertThat(run("sessions", "--delete").code()).isEqualTo(2);
        assertThat(run("sessions", "s", "--delete", "--purge").code()).isEqualTo(2);
        assertThat(run("sessions", "s", "--delete", "--watch=1").code()).isEqualTo(2);
        assertThat(api.asked).hasSize(before);
    }

    @Test
    void subscribersAreListedByClientFilterAndTopic() {
        api.answers(200, "{\"items\": [{\"clientId\": \"c\", \"qos\": 1}], \"total\": 12, \"missingNodes\": []}");
        ApiRun who = run("who", "rooms/1");
        assertThat(who.out()).containsPattern("(?m)^c +1 ");
        assertThat(who.err()).contains("the first 1 of 12");
        assertThat(api.last().path()).startsWith("/api/v1/subscriptions/matching?topic=rooms%2F1&");
        assertThat(run("subscriptions", "--filter", "rooms/+").code()).isZero();
        assertThat(api.last().path()).startsWith("/api/v1/subscriptions?filter=rooms%2F%2B&");
        assertThat(run("subscriptions", "--client", "c#").code()).isZero();
        assertThat(api.last().path()).startsWith("/api/v1/clients/c%23/subscriptions?");
        assertThat(run("subscriptions").code()).isEqualTo(2);
        assertThat(run("subscriptions", "--client", "c", "--filter", "f").code())
                .isEqualTo(2);
    }

    @Test
    void retainedMessagesAreListedShownAndCleared() {
        api.answers(200, page("{\"topic\": \"a\", \"payloadBytes\": 3, \"expiresAtMillis\": -1}", ""));
        assertThat(run("retained", "list").out()).containsPattern("(?m)^a +- +3 +- +never$");
        assertThat(api.last().path()).startsWith("/api/v1/retained?filter=%23&");
        api.answers(200, "{\"item\": {\"topic\": \"a/b\", \"payload\": \"hi\"}}");
        assertThat(run("retained", "get", "a/b").out()).containsPattern("(?m)^payload +hi$");
        assertThat(api.last().path()).isEqualTo("/api/v1/retained/a%2Fb");
        api.handle(exchange -> FakeApi.answer(exchange, 204, ""));
        assertThat(run("retained", "delete", "a/b").out()).contains("cleared a/b");
        api.asked.clear();
        api.answers(200, "{\"messages\": 1000, \"next\": \"n\"}", "{\"messages\": 1}");
        assertThat(run("retained", "delete", "--filter", "a/#").out()).contains("cleared 1001 retained messages");
        assertThat(api.asked).hasSize(2).allMatch(asked -> asked.method().equals("DELETE"));
        assertThat(api.last().path()).contains("filter=a%2F%23", "cursor=n");
        assertThat(run("retained", "delete").code()).isEqualTo(2);
        assertThat(run("retained").code()).isEqualTo(2);
    }

    @Test
    void aMessageIsPublished() throws Exception {
        api.answers(200, "{\"outcome\": \"no-subscribers\"}");
        ApiRun run = run(
                "publish",
                "t",
                "\u00fc\u0001",
                "--retain",
                "--qos",
                "2",
                "--expiry",
                "9",
                "--user-property",
                "a=b=c",
                "--user-property",
                "d=",
                "--content-type",
                "text/plain",
                "--response-topic",
                "r",
                "--correlation-data",
                "id");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).contains("published to t: no subscribers");
        assertThat(api.last().json()).isEqualTo(JsonParser.parseString("""
                {"topic": "t", "payload": "\u00fc\\u0001", "qos": 2, "retain": true, "properties": {
                  "messageExpirySeconds": 9, "contentType": "text/plain", "responseTopic": "r",
                  "correlationData": "aWQ=", "userProperties":
                  [{"name": "a", "value": "b=c"}, {"name": "d", "value": ""}]}}"""));
        Path file = directory.resolve("payload");
        Files.write(file, new byte[] {0, (byte) 0xff, 7});
        assertThat(run("publish", "t", "--file", file.toString(), "--json").out())
                .contains("no-subscribers");
        assertThat(api.last().json().get("payload").getAsString()).isEqualTo("AP8H");
        assertThat(api.last().json().get("encoding").getAsString()).isEqualTo("base64");
        assertThat(run("publish", "t").err()).contains("PAYLOAD or --file");
        assertThat(run("publish", "t", "x", "--file", file.toString()).code()).isEqualTo(2);
        assertThat(run("publish", "t", "--file", "/nowhere").code()).isEqualTo(2);
        assertThat(run("publish", "t", "x", "--user-property", "a").code()).isEqualTo(2);
    }

    @Test
    void aClientIsDisconnectedWithAReason() {
        api.handle(exchange -> FakeApi.answer(exchange, 204, ""));
        assertThat(run("kick", "c").out()).contains("disconnected c");
        assertThat(api.last().path()).isEqualTo("/api/v1/clients/c?reasonCode=152");
        assertThat(run("kick", "c", "--reason", "Server-Moved").code()).isZero();
        assertThat(api.last().path()).isEqualTo("/api/v1/clients/c?reasonCode=157");
        assertThat(run("kick", "c", "--reason", "whim").err()).contains("quota-exceeded");
    }

    @Test
    void logLevelsAreListedAndSet() {
        api.answers(200, "{\"items\": [{\"logger\": \"ROOT\", \"level\": \"info\"}]}");
        assertThat(run("log-level").out()).containsPattern("(?m)^ROOT +info$");
        api.handle(exchange -> FakeApi.answer(exchange, 204, ""));
        assertThat(run("log-level", "io.godwit.kv", "debug").code()).isZero();
        assertThat(api.last().method() + api.last().path()).isEqualTo("PUT/api/v1/log-levels/io.godwit.kv");
        assertThat(api.last().json().get("level").getAsString()).isEqualTo("debug");
        assertThat(run("log-level", "io.godwit.kv").code()).isEqualTo(2);
        assertThat(run("log-level", "io.godwit.kv", "loud").code()).isEqualTo(2);
    }

    @Test
    void messagesThatWaitAreListedAndDiscarded() {
        api.answers(200, "{\"items\": [{\"id\": \"i/1\", \"topic\": \"a\", \"dueAtMillis\": 1795747733285}]}");
        assertThat(run("delayed", "--filter", "a/#").out()).containsPattern("(?m)^a .*2026-11-27T02:48:53Z +i/1$");
        assertThat(api.last().path()).startsWith("/api/v1/delayed?filter=a%2F%23&");
        api.handle(exchange -> FakeApi.answer(exchange, 204, ""));
        assertThat(run("delayed", "delete", "i/1").out()).contains("discarded i/1");
        assertThat(api.last().method() + api.last().path()).isEqualTo("DELETE/api/v1/delayed/i%2F1");
        api.asked.clear();
        api.answers(200, "{\"messages\": 1000, \"next\": \"n\"}", "{\"messages\": 1}");
        assertThat(run("delayed", "delete", "--filter", "#").out()).contains("discarded 1001 messages");
        assertThat(api.asked).hasSize(2).allMatch(asked -> asked.method().equals("DELETE"));
        assertThat(run("delayed", "delete").code()).isEqualTo(2);
    }

    @Test
    void pluginsAreListedWithWhatTheyAreUsedForAndHowTheyDo() {
        api.answers(200, """
                {"items": [
                  {"node": "0123456789", "name": "ldap.jar", "jars": ["ldap.jar"], "version": "1.2", "uses": [
                    {"kind": "auth-provider", "name": "ldap", "health": "down", "detail": "", "threads": "plugin",
                     "calls": 7, "busyMillis": 120, "failures": 2, "lastFailure": "no-answer: \\u001b[2J",
                     "circuit": "open"}]},
                  {"node": "0123456789", "name": "other", "jars": [], "version": "", "uses": []}],
                 "missingNodes": ["abc"]}""");
        ApiRun run = run("plugins");
        assertThat(run.out())
                .containsPattern("(?m)^01234567 +ldap.jar +1.2 +auth-provider +ldap +down +plugin +7 +120 +2 +open "
                        + "+no-answer: ")
                .containsPattern("(?m)^01234567 +other +-")
                .doesNotContain("\u001b");
        assertThat(run.err()).contains("abc");
        assertThat(api.last().path()).isEqualTo("/api/v1/plugins");
        assertThat(run("plugins", "--json").out()).contains("\"circuit\"");
    }

    @Test
    void healthIsToldByTheExitCodeToo() {
        api.answers(200, "{\"status\": \"ok\"}");
        assertThat(run("health").code()).isZero();
        assertThat(api.asked).extracting(FakeApi.Asked::path).containsExactly("/health/live", "/health/ready");
        api.handle(exchange -> {
            boolean isLive = exchange.getRequestURI().getPath().endsWith("live");
            String body =
                    isLive ? "{\"status\": \"ok\"}" : "{\"status\": \"failed\", \"reasons\": [\"x\\u001b\", \"y\"]}";
            FakeApi.answer(exchange, isLive ? 200 : 503, "application/json", body.getBytes(StandardCharsets.UTF_8));
        });
        ApiRun run = run("health");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out().lines()).containsExactly("live   ok", "ready  failed  x\\x1b; y");
        ApiRun json = run("health", "--json");
        assertThat(json.code()).isEqualTo(1);
        assertThat(JsonParser.parseString(json.out())
                        .getAsJsonObject()
                        .getAsJsonObject("ready")
                        .getAsJsonArray("reasons"))
                .hasSize(2);
        api.answers(503, FakeApi.problem("unavailable", 503, "too much to do"));
        assertThat(run("health").code()).isEqualTo(4);
    }

    @Test
    void figuresOfNodesStandSideBySide() {
        api.handle(exchange -> {
            boolean isSum = exchange.getRequestURI().getPath().endsWith("/sum");
            FakeApi.answer(exchange, 200, isSum ? "{\"nodes\": {}, \"stats\": {\"a.count\": 3}}" : """
                            [{"node": {"name": "n1", "status": "Running"}, "stats": {"a.count": 1, "b": 5}},
                             {"node": {"name": "n2", "status": "Running"}, "stats": {"a.count": 2}},
                             {"node": {"name": "n3", "status": "Timeout"}, "stats": {}}]""");
        });
        ApiRun run = run("stats");
        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly("FIGURE n1 n2 SUM", "a.count 1 2 3", "b 5 - -");
        assertThat(run.err()).contains("node n3 is missing: Timeout");
        assertThat(run("stats", "--counted", "--json").code()).isZero();
        assertThat(api.last().path()).isEqualTo("/api/v1/metrics/sum");
    }

    /** Until it is interrupted. */
    @Test
    void aWatchedListIsPrintedAgain() {
        Thread self = Thread.currentThread();
        api.handle(exchange -> {
            if (api.asked.size() == 2) {
                FakeApi.answer(exchange, 503, FakeApi.problem("unavailable", 503, "starts"));
                return;
            }
            FakeApi.answer(exchange, 200, page((client("a" + api.asked.size()) + ",").repeat(9) + client("z"), ""));
            if (api.asked.size() == 3) {
                self.interrupt();
            }
        });
        ApiRun run = ApiRun.of(
                new Screen(100, 6, true), Map.of(), "clients", "--watch=1", "--url", api.url, "--timeout", "60");
        assertThat(Thread.interrupted() || run.code() != 0).isTrue();
        assertThat(run.out())
                .startsWith("\u001b[H\u001b[2J\u001b[3J\u001b[1mCLIENT")
                .contains("a1");
        assertThat(run.out().lines()).as("the output fits the terminal").hasSizeLessThanOrEqualTo(10);
        assertThat(run.err()).contains("starts");
        assertThat(api.asked).hasSize(3);
        assertThat(run("clients", "--watch=0").code()).isEqualTo(2);
    }

    @Test
    void theBrokerOfADataDirectoryIsFound() throws Exception {
        URI url = URI.create(api.url);
        LocalApi.of(
                        ProcessHandle.current().pid(),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), url.getPort()),
                        Optional.empty())
                .write(directory);
        api.answers(200, page(client("ann"), ""));
        ApiRun run = ApiRun.of("--data", directory.toString(), "clients");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).contains("ann");
        LocalApi.remove(directory);
        assertThat(ApiRun.of("--data", directory.toString(), "clients").code()).isEqualTo(3);
        assertThat(ApiRun.of("--url", api.url, "clients").code()).isZero();
        assertThat(ApiRun.of("--url", api.url, "members").err()).contains("uses RPC");
        assertThat(ApiRun.of("--rpc", "127.0.0.1:1", "clients").err()).contains("--url, not --rpc");
    }
}
