package io.godwit.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;

/** What {@code replace} requests of the HTTP API and prints until the replacement of a node has ended. */
class ReplaceCommandTest extends ApiCommandsFixture {
    private static String replacement(String state, int moved, int left, String step, String reason) {
        return """
                {"node": "cccccccc-3333", "by": "bbbbbbbb-2222", "state": "%s", "moved": %d, "left": %d,
                 "elsewhere": 0, "step": "%s", "reason": "%s"}""".formatted(state, moved, left, step, reason);
    }

    private static final String NODES = """
            {"items": [{"id": "aaaaaaaa-1111", "rpcAddress": "10.0.0.1:8900"},
                       {"id": "bbbbbbbb-2222", "rpcAddress": "10.0.0.2:8900"},
                       {"id": "cccccccc-3333", "rpcAddress": "10.0.0.3:8900"}]}""";

    @Test
    void aReplacementIsFollowedToItsEnd() {
        api.answers(
                200,
                NODES,
                replacement("running", 0, 2, "begun", ""),
                replacement("running", 0, 2, "begun", ""),
                replacement("running", 1, 1, "promote\\u001b[2J", ""),
                replacement("done", 2, 0, "node c is forgotten", ""));
        ApiRun run = run("replace", "cccc", "--by", "10.0.0.2:8900");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out().lines())
                .containsExactly(
                        "godwit-admin: 0 ranges moved, 2 left: begun",
                        "godwit-admin: 1 ranges moved, 1 left: promote\\x1b[2J",
                        "godwit-admin: node c is forgotten");
        assertThat(api.asked).extracting(FakeApi.Asked::method).containsExactly("GET", "POST", "GET", "GET", "GET");
        assertThat(api.asked.get(1).json().toString()).isEqualTo("{\"by\":\"bbbbbbbb-2222\"}");
        assertThat(api.asked)
                .extracting(FakeApi.Asked::path)
                .element(1)
                .isEqualTo("/api/v1/nodes/cccccccc-3333/replace");
        assertThat(api.last().path()).isEqualTo("/api/v1/nodes/cccccccc-3333/replace");
    }

    @Test
    void aReplacementIsJsonForPrograms() {
        api.answers(
                200,
                NODES,
                replacement("running", 0, 2, "begun", ""),
                replacement("done", 2, 0, "node c is forgotten", ""));
        ApiRun run = run("replace", "cccc", "--by", "bbbb", "--json");
        assertThat(run.code()).isZero();
        JsonObject end = JsonParser.parseString(run.out()).getAsJsonObject();
        assertThat(end.get("state").getAsString()).isEqualTo("done");
        assertThat(run.err()).contains("0 ranges moved, 2 left");

        api.asked.clear();
        api.answers(200, NODES, replacement("running", 0, 2, "begun", ""));
        ApiRun begun = run("replace", "cccc", "--by", "bbbb", "--no-wait");
        assertThat(begun.code()).isZero();
        assertThat(begun.out()).contains("0 ranges moved, 2 left");
        assertThat(api.asked).hasSize(2);
    }

    @Test
    void aReplacementThatFailsOrIsRefusedIsToldByTheExitCodeToo() {
        api.answers(
                200,
                NODES,
                replacement("running", 0, 2, "begun", ""),
                replacement("failed", 1, 1, "promote", "disk full"));
        ApiRun failed = run("replace", "cccc", "--by", "bbbb");
        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.err()).contains("1 left: disk full", "repeat the command to continue");

        api.asked.clear();
        api.handle(exchange -> {
            boolean isList = exchange.getRequestURI().getPath().endsWith("/nodes");
            FakeApi.answer(
                    exchange,
                    isList ? 200 : 409,
                    isList ? NODES : FakeApi.problem("refused", 409, "node cccccccc is running"));
        });
        assertThat(run("replace", "cccc", "--by", "bbbb").code()).isEqualTo(4);
        assertThat(run("replace", "dddd", "--by", "bbbb").code()).isEqualTo(6);
        assertThat(run("replace", "cccc", "--by", "").code()).isEqualTo(6);
        assertThat(run("replace", "cccc").code()).isEqualTo(2);

        api.asked.clear();
        api.handle(exchange -> {
            switch (api.asked.size()) {
                case 1 -> FakeApi.answer(exchange, 200, NODES);
                case 2 -> FakeApi.answer(exchange, 202, replacement("running", 0, 2, "begun", ""));
                case 3 -> FakeApi.answer(exchange, 503, FakeApi.problem("unavailable", 503, "busy")); // once is borne
                default -> FakeApi.answer(exchange, 404, FakeApi.problem("not-found", 404, "none"));
            }
        });
        ApiRun restarted = run("replace", "cccc", "--by", "bbbb");
        assertThat(restarted.code()).isEqualTo(1);
        assertThat(restarted.err()).contains("has restarted");
        assertThat(api.asked).hasSize(4);
    }
}
