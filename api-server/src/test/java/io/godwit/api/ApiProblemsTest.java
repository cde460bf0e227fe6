package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.ApiFixture.Got;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bad input gets a problem that names the field, and nothing is done. */
class ApiProblemsTest {
    private static final String LEVEL = "/api/v1/log-levels/io.godwit.kv";

    private ApiFixture api;

    @BeforeEach
    void open() throws Exception {
        api = ApiFixture.open();
        api.node.add("default", "lamp", "ann", 5, true, 10);
    }

    @AfterEach
    void nothingWasDone() {
        assertThat(api.node.disconnected).isEmpty();
        assertThat(api.node.levels).hasSize(1);
        api.close();
    }

    private void isInvalid(String path, String field) throws Exception {
        Got got = api.get(path);
        assertThat(got.status()).as(path).isEqualTo(400);
        assertThat(got.problem()).isEqualTo("invalid-request");
        assertThat(got.field()).isEqualTo(field);
    }

    @Test
    void parametersAreChecked() throws Exception {
        isInvalid("/api/v1/clients?colour=red", "colour");
        isInvalid("/api/v1/nodes?limit=1", "limit");
        isInvalid("/api/v1/clients?limit=many", "limit");
        isInvalid("/api/v1/clients?limit=0", "limit");
        isInvalid("/api/v1/clients?limit=1001", "limit");
        isInvalid("/api/v1/clients?limit=99999999999999999999", "limit");
        isInvalid("/api/v1/clients?limit=1&limit=2", "limit");
        isInvalid("/api/v1/clients?connected=yes", "connected");
        isInvalid("/api/v1/clients?protocol=6", "protocol");
        isInvalid("/api/v1/clients?minQueued=-1", "minQueued");
        isInvalid("/api/v1/clients?fields=clientId,password", "fields");
        isInvalid("/api/v1/clients?clientIdPrefix=a&clientIdContains=b", "clientIdContains");
        isInvalid("/api/v1/clients?cursor=bm9uZQ", "cursor");
        isInvalid("/api/v1/clients?cursor=%00", "cursor");
        isInvalid("/api/v1/clients?clientId=a", "clientId");
    }

    @Test
    void aCursorOfAnotherListIsRefused() throws Exception {
        String ofRanges = api.get("/api/v1/ranges?limit=1").json().getString("next");
        isInvalid("/api/v1/clients?cursor=" + ofRanges, "cursor");
    }

    @Test
    void aReasonCodeThatIsNoServersIsRefused() throws Exception {
        Got got = api.send("DELETE", "/api/v1/clients/lamp?reasonCode=0", null);
        assertThat(got.status()).isEqualTo(400);
        assertThat(got.field()).isEqualTo("reasonCode");
    }

    private Got put(String body) throws Exception {
        return api.send("PUT", LEVEL, body, "Content-Type", "application/json");
    }

    @Test
    void bodiesAreChecked() throws Exception {
        assertThat(put("{\"level\":\"info\",\"colour\":1}").field()).isEqualTo("colour");
        assertThat(put("{\"level\":7}").field()).isEqualTo("level");
        assertThat(put("{\"level\":\"loud\"}").field()).isEqualTo("level");
        assertThat(put("{}").field()).isEqualTo("level");
        for (String broken : List.of("", "{", "[]", "7", "null", "{\"level\":\"info\"} {", "\u0000")) {
            Got got = put(broken);
            assertThat(got.status()).as(broken).isEqualTo(400);
            assertThat(got.problem()).isEqualTo("invalid-request");
        }
    }

    @Test
    void aBodyOfAnotherTypeIsRefused() throws Exception {
        // a form of another site could send this
        Got got = api.send("PUT", LEVEL, "{\"level\":\"info\"}", "Content-Type", "text/plain");
        assertThat(got.status()).isEqualTo(415);
        assertThat(api.send("PUT", LEVEL, "{\"level\":\"info\"}").status()).isEqualTo(415);
    }

    @Test
    void aBodyThatNobodyWantsIsRefused() throws Exception {
        Got got = api.send("DELETE", "/api/v1/clients/lamp", "{}", "Content-Type", "application/json");
        assertThat(got.status()).isEqualTo(400);
    }

    @Test
    void tooLargeABodyIsRefused() throws Exception {
        Got got = put("{\"level\":\"" + "x".repeat(2_000) + "\"}");
        assertThat(got.status()).isEqualTo(413);
        assertThat(got.problem()).isEqualTo("too-large");
    }

    @Test
    void tooLargeABodyInPiecesIsRefusedBeforeItHasCome() throws Exception {
        String piece = "1000\r\n" + "x".repeat(4_096) + "\r\n";
        String answer = api.raw(
                "PUT " + LEVEL + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n" + piece.repeat(20),
                10_000);
        assertThat(answer).startsWith("HTTP/1.1 413 ").doesNotContain("<open>");
    }

    @Test
    void unknownResourcesAreNotFound() throws Exception {
        assertThat(api.get("/api/v1/nothing").status()).isEqualTo(404);
        assertThat(api.get("/index.html").status()).isEqualTo(404);
        assertThat(api.get("/api/v1/clients/nobody").problem()).isEqualTo("not-found");
        assertThat(api.send("DELETE", "/api/v1/clients/nobody", null).status()).isEqualTo(404);
        assertThat(api.get("/api/v1/ranges?store=none").status()).isEqualTo(404);
        assertThat(api.get("/api/v1/stats/node-z").status()).isEqualTo(404);
        assertThat(api.get("/api/v1/docs/index.html").status()).isEqualTo(404);
        assertThat(api.get("/api/v1/docs/..%2Fpage.html").status()).isEqualTo(404);
    }

    @Test
    void anotherMethodIsNotAllowed() throws Exception {
        Got got = api.send("POST", "/api/v1/clients/lamp", "{}");
        assertThat(got.status()).isEqualTo(405);
        assertThat(got.header("Allow")).isEqualTo("GET, HEAD, DELETE");
        assertThat(api.send("DELETE", "/health/live", null).status()).isEqualTo(405);
        assertThat(api.send("TRACE", "/api/v1/nodes", null).status()).isEqualTo(405);
    }

    @Test
    void aClientIsNotReportedMissingWhileNodesAreMissing() throws Exception {
        api.node.missing = List.of("node-b");
        Got got = api.send("DELETE", "/api/v1/clients/nobody", null);
        assertThat(got.status()).isEqualTo(503);
        assertThat(got.problem()).isEqualTo("nodes-missing");
        assertThat(got.json().getJsonArray("missingNodes")).containsExactly("node-b");
        assertThat(api.get("/api/v1/clients/nobody").status()).isEqualTo(503);
        assertThat(api.get("/api/v1/stats/node-b").status()).isEqualTo(503);
    }

    @Test
    void aNodeThatStartsSaysSo() throws Exception {
        api.node.isStarting = true;
        Got got = api.get("/api/v1/nodes");
        assertThat(got.status()).isEqualTo(503);
        assertThat(got.json().getString("detail")).isEqualTo("the node starts");
        assertThat(api.get("/api/v1/clients/lamp").status()).isEqualTo(503);
    }

    @Test
    void bytesThatAreNotHttpAreRefused() throws Exception {
        assertThat(api.raw("NOT HTTP\r\n\r\n", 10_000))
                .contains(" 400 Bad Request")
                .doesNotContain("<open>");
        assertThat(api.raw("GET /" + "x".repeat(20_000) + " HTTP/1.1\r\n\r\n", 10_000))
                .contains(" 414 ")
                .contains("application/problem+json");
        assertThat(api.raw("GET / HTTP/1.1\r\nHost: a\r\nX: " + "x".repeat(20_000) + "\r\n\r\n", 10_000))
                .contains(" 431 ");
        for (String path : List.of("/api/v1/clients/%zz", "/api/v1/clients/a%", "/api/v1/clients?userName=%2")) {
            assertThat(api.raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 10_000))
                    .as(path)
                    .startsWith("HTTP/1.1 400 ");
        }
        // a name that is not UTF-8 names nobody
        assertThat(api.raw(
                        "GET /api/v1/clients/%ff%c0 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 10_000))
                .startsWith("HTTP/1.1 404 ");
    }
}
