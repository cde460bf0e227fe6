package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.TokenFile.Entry;
import io.godwit.api.contract.Operation;
import io.godwit.api.http.gate.HttpLimits;
import io.godwit.api.port.ApiCounts;
import io.godwit.testing.Await;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each request is counted once, with its outcome, and never under a name that its caller chose. */
class ApiCountsTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final String LIVE = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n";

    @TempDir
    private Path directory;

    private static HttpLimits limits(int perAddress, Duration head, int all, int perCaller) {
        return new HttpLimits(100, perAddress, 16_384, 16_384, 1_024, head, LONG, LONG, all, perCaller);
    }

    /** An answer is counted when it has been written, which its reader may notice before. */
    private static void counts(ApiFixture api, String what, int times) {
        Await.until(
                () -> what + " is not there " + times + " times: " + api.node.counts.all(),
                Duration.ofSeconds(10),
                () -> api.node.counts.of(what) == times);
    }

    private static void put(ApiFixture api, String body) throws Exception {
        api.send("PUT", "/api/v1/log-levels/io.godwit.kv", body, "Content-Type", "application/json");
    }

    @Test
    void answersAreCountedByOperationAndStatus() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            api.get("/api/v1/nodes");
            api.send("HEAD", "/api/v1/nodes", null);
            api.get("/api/v1/clients?limit=0");
            api.get("/api/v1/clients/nobody");
            put(api, "{\"level\":\"loud\"}");
            put(api, "{\"level\":\"" + "x".repeat(2_000) + "\"}");
            api.node.isStarting = true;
            api.get("/api/v1/nodes");
            counts(api, "listNodes 200", 2);
            counts(api, "listClients 400", 1);
            counts(api, "getClient 404", 1);
            counts(api, "setLogLevel 400", 1);
            counts(api, "setLogLevel 413", 1);
            counts(api, "listNodes 503", 1);
            counts(api, "problem invalid-request", 2);
            counts(api, "problem not-found", 1);
            counts(api, "problem too-large", 1);
            counts(api, "problem unavailable", 1);
        }
    }

    @Test
    void forbiddenRequestsAreCounted() throws Exception {
        Path tokens = Files.writeString(
                directory.resolve("tokens"),
                TokenFile.parse("")
                        .with(Entry.ofToken("vic", Role.VIEWER, "", Dashboard.VIEWER))
                        .text());
        try (ApiFixture api = ApiFixture.withTokens(tokens)) {
            api.get("/api/v1/nodes");
            api.get("/api/v1/nodes", "Authorization", "Bearer nobodys");
            api.send("DELETE", "/api/v1/clients/lamp", null, "Authorization", "Bearer " + Dashboard.VIEWER);
            counts(api, "listNodes 401", 2);
            counts(api, "problem unauthorized", 2);
            counts(api, "disconnectClient 403", 1);
            counts(api, "problem forbidden", 1);
        }
    }

    @Test
    void pathsAndMethodsOfCallersMakeNoNames() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            for (int i = 0; i < 20; i++) {
                api.get("/path-" + i);
                api.get("/api/v1/clients/client-" + i);
                api.send("METHOD" + i, "/api/v1/nodes", null);
                api.raw("GET /api/v1/clients/%zz" + i + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 10_000);
                api.raw("NO HTTP " + i + "\r\n\r\n", 10_000);
            }
            counts(api, "none 404", 20);
            counts(api, "none 405", 20);
            counts(api, "none 400", 40);
            counts(api, "getClient 404", 20);
            Set<String> known =
                    api.server().operations().stream().map(Operation::id).collect(Collectors.toSet());
            known.add(ApiCounts.NO_OPERATION);
            known.add("problem");
            assertThat(new TreeSet<>(api.node.counts.all().keySet()))
                    .allMatch(name -> known.contains(name.replaceAll(" .*", "")))
                    .hasSizeLessThan(10);
        }
    }

    @Test
    void aCallerThatAsksTooOftenIsCountedByTheBound() throws Exception {
        Path tokens = Files.writeString(
                directory.resolve("tokens"),
                TokenFile.parse("")
                        .with(Entry.ofToken("vic", Role.VIEWER, "", Dashboard.VIEWER))
                        .text());
        try (ApiFixture api = ApiFixture.withTokens(tokens, limits(100, LONG, 1_000, 5))) {
            untilLimited(api, "/none"); // no caller is identified here
            counts(api, "limited ADDRESS", 1);
            counts(api, "none 429", 1);
            counts(api, "problem too-many-requests", 1);
        }
        try (ApiFixture api = ApiFixture.open(limits(100, LONG, 5, 1_000))) {
            untilLimited(api, "/api/v1/nodes");
            counts(api, "limited ALL", 1);
        }
    }

    private static void untilLimited(ApiFixture api, String path) throws Exception {
        Await.until("it is too often", () -> api.get(path).status() == 429);
    }

    @Test
    void connectionsAreCounted() throws Exception {
        try (ApiFixture api = ApiFixture.open(limits(1, LONG, 1_000, 1_000))) {
            try (Socket known = api.connect()) {
                known.getOutputStream()
                        .write("GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                assertThat(known.getInputStream().read()).isEqualTo('H');
                Await.until("one is open", () -> api.node.counts.open() == 1);
                api.raw(LIVE, 10_000);
                counts(api, "refused ADDRESS", 1);
            }
            Await.until("none is open", () -> api.node.counts.open() == 0);
        }
        Duration head = Duration.ofMillis(300);
        try (ApiFixture api = ApiFixture.open(limits(2, head, 1_000, 1_000))) {
            assertThat(api.raw("GET /health", 10_000)).isEmpty();
            counts(api, "closed LATE", 1);
            Await.until("none is open", () -> api.node.counts.open() == 0);
            assertThat(api.node.counts.all()).hasSize(1);
        }
    }

    /** It has not waited for its answer. */
    @Test
    void aCallerThatLeavesBeforeTheAnswerIsCountedOnce() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            api.node.hangs = true;
            try (Socket socket = api.connect()) {
                socket.getOutputStream()
                        .write("GET /api/v1/clients HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
            }
            counts(api, "listClients 0", 1);
            assertThat(api.node.counts.all()).hasSize(1);
        }
    }
}
