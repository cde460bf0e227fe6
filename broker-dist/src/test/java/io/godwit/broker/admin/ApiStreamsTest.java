package io.godwit.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands that print events as they happen. */
@Timeout(120)
class ApiStreamsTest {
    private FakeApi api;

    @BeforeEach
    void serve() throws Exception {
        api = new FakeApi(null);
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private ApiRun run(String... args) {
        List<String> words = new ArrayList<>(Arrays.asList(args));
        words.addAll(List.of("--url", api.url));
        return ApiRun.of(words.toArray(String[]::new));
    }

    /** Sends the text byte by byte, as it may be split anywhere. */
    private void streams(String text) {
        api.handle(exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
                out.write(each);
                out.flush();
            }
        });
    }

    private static final String EVENTS = """
            : a comment

            event: node
            data: {"node": "0123456789", "watched": true}

            event: event
            data: {"node": "0123456789", "atMillis": 1795747733285, "type": "client-connected",
            data:  "clientId": "m\u00fc\\u001b[2J", "protocolLevel": 5}

            event: lost
            data: {"node": "n", "count": 7}

            """;

    @Test
    void eventsAreToldLineByLine() {
        streams(EVENTS + "event: end\r\ndata: {\"reason\": \"duration\"}\r\n\r\n");
        ApiRun run = run("events", "--type", "client-connected,banned", "--client", "m/1", "--seconds", "5");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out().lines())
                .containsExactly(
                        "2026-11-27T02:48:53Z 01234567 client-connected " + "clientId=m\u00fc\\x1b[2J protocolLevel=5");
        assertThat(run.err()).contains("node 0123456789 is watched", "node n has dropped 7 entries");
        assertThat(api.last().path())
                .isEqualTo("/api/v1/events?type=client-connected%2Cbanned&clientId=m%2F1&seconds=5");
        ApiRun json = run("events", "--json");
        assertThat(json.out().lines()).hasSize(1);
        assertThat(JsonParser.parseString(json.out())
                        .getAsJsonObject()
                        .get("clientId")
                        .getAsString())
                .isEqualTo("m\u00fc\u001b[2J");
    }

    @Test
    void aStreamThatBreaksIsToldByTheExitCode() {
        streams(EVENTS);
        assertThat(run("events").code()).isEqualTo(1);
        streams("event: end\ndata: {\"reason\": \"token\"}\n\n");
        ApiRun taken = run("events");
        assertThat(taken.code()).isEqualTo(1);
        assertThat(taken.err()).contains("has ended: token");
        streams("event: event\ndata: {no json\n\n");
        assertThat(run("events").code()).isEqualTo(1);
        streams("event: event\ndata: 7\n\n");
        assertThat(run("events").code()).isEqualTo(1);
    }

    @Test
    void aLineWithoutAnEndIsNotKept() {
        api.handle(exchange -> {
            exchange.sendResponseHeaders(200, 0);
            byte[] part = new byte[1 << 16];
            Arrays.fill(part, (byte) 'x');
            for (int i = 0; i < 1_000; i++) {
                exchange.getResponseBody().write(part);
            }
        });
        ApiRun run = run("events");
        assertThat(run.code()).isEqualTo(3);
        assertThat(run.err()).contains("more than 1 MiB");
    }

    @Test
    void aRefusalIsToldAsThatOfOtherCommands() {
        api.answers(403, FakeApi.problem("forbidden", 403, "needs the role operator"));
        ApiRun run = run("trace", "--topic", "a/#", "--address", "::1");
        assertThat(run.code()).isEqualTo(3);
        assertThat(run.err()).contains("needs the role operator");
        assertThat(api.last().path()).isEqualTo("/api/v1/trace?topic=a%2F%23&address=%3A%3A1");
        assertThat(run("trace").code()).isEqualTo(2);
    }

    @Test
    void whoIsKeptOutIsListedAndChanged() {
        api.answers(200, """
                {"items": [{"id": "b1", "kind": "client", "subject": "c", "tenant": "default", "untilMillis": -1,
                  "reason": "", "by": "ola", "sinceMillis": 1}]}""");
        assertThat(run("bans", "--kind", "client").out())
                .containsPattern("(?m)^b1 +client +c +default +never +ola +- +- +-$");
        api.answers(201, "{\"item\": {\"id\": \"b7\"}}");
        ApiRun ban = run("ban", "--address", "10.0.0.0/8", "--seconds", "60", "--reason", "noise");
        assertThat(ban.out()).contains("banned 10.0.0.0/8", "unban b7");
        assertThat(api.last().json()).isEqualTo(JsonParser.parseString("""
                {"kind": "address", "subject": "10.0.0.0/8", "seconds": 60, "reason": "noise"}"""));
        assertThat(run("ban").code()).isEqualTo(2);
        assertThat(run("ban", "--client", "c", "--user", "u").code()).isEqualTo(2);
        api.handle(exchange -> FakeApi.answer(exchange, 204, ""));
        assertThat(run("unban", "b7").code()).isZero();
        assertThat(api.last().method() + api.last().path()).isEqualTo("DELETE/api/v1/bans/b7");
    }

    @Test
    void otherListsAskForTheirPaths() {
        api.answers(200, "{\"items\": [], \"missingNodes\": [\"n1\"]}");
        assertThat(run("groups", "--group", "g").err()).contains("n1");
        assertThat(api.last().path()).startsWith("/api/v1/groups?group=g&");
        assertThat(run("groups", "$share/g/a/+").code()).isZero();
        assertThat(api.last().path()).startsWith("/api/v1/groups/%24share%2Fg%2Fa%2F%2B/members?");
        assertThat(run("users").code()).isZero();
        assertThat(api.last().path()).startsWith("/api/v1/users?");
        assertThat(run("tokens").code()).isZero();
        assertThat(api.last().path()).startsWith("/api/v1/tokens?");
        assertThat(run("top", "slow").err()).contains("n1");
        assertThat(api.last().path()).isEqualTo("/api/v1/top/slow-subscribers");
        assertThat(run("top", "topics", "--limit", "5").code()).isZero();
        assertThat(api.last().path()).isEqualTo("/api/v1/top/topics?limit=5");
        api.answers(200, """
                {"items": [{"node": "0123456789", "settings": [{"key": "a.b", "value": "7", "source": "file"}]}],
                 "differences": [{"key": "c.d", "values": []}], "missingNodes": []}""");
        ApiRun config = run("config");
        assertThat(config.out()).containsPattern("(?m)^01234567 +a.b +7 +file$");
        assertThat(config.err()).contains("nodes differ: c.d");
        assertThat(api.last().path()).isEqualTo("/api/v1/configuration?onlyGiven=true");
    }
}
