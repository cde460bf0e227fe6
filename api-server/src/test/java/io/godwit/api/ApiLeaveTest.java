package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.godwit.api.audit.RecordBudget;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.http.gate.HttpLimits;
import io.godwit.api.port.ClusterAnswer;
import io.godwit.api.port.access.AuditSink;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Callers that close their connection before their turn or their answer comes: their places are given back, and the
 * audit log says what was done. All tokens of a tenant share the places.
 */
class ApiLeaveTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(400);
    private static final String LAMP = "/api/v1/clients/lamp";
    private static final String LIST = "/api/v1/clients";
    private static final String CLEAR = "/api/v1/retained?filter=";

    @TempDir
    private Path directory;

    private final Logger audit = (Logger) LoggerFactory.getLogger(AuditSink.LOGGER);
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getFormattedMessage());
        }
    };

    private final Deque<Socket> open = new ArrayDeque<>();

    @BeforeEach
    void listen() {
        appender.start();
        audit.addAppender(appender);
        audit.setLevel(Level.INFO);
    }

    @AfterEach
    void leaveAll() throws IOException {
        audit.detachAppender(appender);
        audit.setLevel(null);
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private static HttpLimits limits(int connections, Duration request) {
        return new HttpLimits(connections, 100, 16_384, 16_384, 1_024, LONG, LONG, request, 1_000, 1_000);
    }

    /** Two tokens of the tenant birds, and one of an operator of the cluster. */
    private Path tokens() throws IOException {
        return Files.writeString(
                directory.resolve("tokens"),
                TokenFile.parse("")
                        .with(TokenFile.Entry.ofToken("wren", Role.OPERATOR, "birds", "gw_wren"))
                        .with(TokenFile.Entry.ofToken("robin", Role.OPERATOR, "birds", "gw_robin"))
                        .with(TokenFile.Entry.ofToken("ops", Role.OPERATOR, "", "gw_ops"))
                        .text());
    }

    private ApiFixture api(HttpLimits limits) throws Exception {
        return ApiFixture.withTokens(tokens(), limits);
    }

    private static String head(String method, String path, String token) {
        return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n";
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private Socket send(ApiFixture api, String method, String path, String token) throws IOException {
        Socket socket = api.connect();
        open.push(socket);
        socket.setSoTimeout(20_000);
        write(socket, head(method, path, token) + "\r\n");
        return socket;
    }

    private static int status(ApiFixture api, String method, String path, String token) throws Exception {
        return api.send(method, path, null, "Authorization", "Bearer " + token).status();
    }

    /** Any answer comes after the requests that were sent before have been looked at. */
    private static void turnLoop(ApiFixture api) throws Exception {
        for (int i = 0; i < 2; i++) {
            assertThat(api.get("/health/live").status()).isEqualTo(200);
        }
    }

    @Test
    void aChangeWhoseCallerHasLeftIsRecordedWithItsOutcome() throws Exception {
        try (ApiFixture api = api(limits(100, LONG))) {
            api.node.holdsDisconnects = true;
            Socket caller = send(api, "DELETE", LAMP, "gw_wren");
            Await.until("the node is asked", () -> api.node.heldDisconnects.size() == 1);
            caller.close();
            Await.until("it has left", () -> api.node.counts.of("disconnectClient 0") == 1);
            assertThat(lines).as("the change has not ended").isEmpty();

            api.node.heldDisconnects.get(0).complete(ClusterAnswer.complete(true));
            Await.until("it is recorded", () -> lines.size() == 1);
            assertThat(lines.get(0))
                    .startsWith("by=wren ")
                    .contains("operation=disconnectClient", "\"clientId\":\"lamp\"")
                    .endsWith(" status=204");
        }
    }

    @Test
    void aChangeThatAnswersTooLateIsRecordedOnce() throws Exception {
        try (ApiFixture api = api(limits(100, SHORT))) {
            api.node.holdsDisconnects = true;
            Socket caller = send(api, "DELETE", LAMP, "gw_wren");
            Await.until("the node is asked", () -> api.node.heldDisconnects.size() == 1);
            caller.close();
            Await.until("it is recorded", () -> lines.size() == 1);
            assertThat(lines.get(0)).endsWith(" status=504");

            api.node.heldDisconnects.get(0).complete(ClusterAnswer.complete(true));
            api.node.holdsDisconnects = false;
            assertThat(status(api, "DELETE", "/api/v1/clients/none", "gw_wren")).isEqualTo(404);
            Await.until("the next change is recorded", () -> lines.size() >= 2);
            assertThat(lines).hasSize(2).last().asString().endsWith(" status=404");
        }
    }

    /** Clearing retained messages is a change, and waits for its turn like a search. */
    @Test
    void aChangeWhoseCallerLeavesBeforeItsTurnIsNeitherMadeNorRecorded() throws Exception {
        try (ApiFixture api = api(limits(100, LONG))) {
            api.node.messages.retain("a", new byte[1]);
            api.node.hangs = true;
            for (int i = 0; i < 3; i++) {
                send(api, "GET", LIST, "gw_ops");
            }
            Await.until("the nodes search", () -> api.node.hanging.size() == 3);
            Socket waits = send(api, "DELETE", CLEAR + "a", "gw_ops");
            Await.until("it is connected", () -> api.node.counts.open() >= 4);
            turnLoop(api);
            assertThat(lines).isEmpty();
            waits.close();
            Await.until("it has left", () -> api.node.counts.of("deleteRetainedMatching 0") == 1);

            api.node.hangs = false;
            api.node.hanging.forEach(each -> each.cancel(false));
            Await.until("there are turns again", () -> status(api, "GET", LIST, "gw_ops") == 200);
            assertThat(api.node.messages.retained).containsOnlyKeys("a");
            assertThat(status(api, "DELETE", CLEAR + "a", "gw_ops")).isEqualTo(200);
            assertThat(api.node.messages.retained).isEmpty();
            Await.until("it is recorded", () -> !lines.isEmpty());
            assertThat(lines).singleElement().asString().startsWith("by=ops ").endsWith(" status=200");
        }
    }

    /** What has come of it is a whole message. */
    @Test
    void aChangeWhoseCallerLeavesWithinItsBodyIsNeitherMadeNorRecorded() throws Exception {
        try (ApiFixture api = api(limits(100, LONG))) {
            Socket caller = api.connect();
            open.push(caller);
            write(
                    caller,
                    head("POST", "/api/v1/publish", "gw_ops")
                            + "Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{\"topic\": \"a\"}");
            Await.until("it is connected", () -> api.node.counts.open() >= 1);
            turnLoop(api);
            caller.close();
            Await.until(
                    "it has left",
                    () -> api.node.counts.all().keySet().stream().anyMatch(name -> name.startsWith("publishMessage ")));
            assertThat(status(api, "DELETE", "/api/v1/clients/none", "gw_ops")).isEqualTo(404);
            assertThat(api.node.messages.published).isEmpty();
            Await.until("the next change is recorded", () -> !lines.isEmpty());
            assertThat(lines).singleElement().asString().contains("operation=disconnectClient");
        }
    }

    @Test
    void theTokensOfATenantShareTheirRequestsUnderWayAlsoAfterTheyHaveLeft() throws Exception {
        try (ApiFixture api = api(limits(100, LONG))) {
            api.node.hangsAboutOne = true;
            for (int i = 0; i < 4; i++) {
                send(api, "GET", LAMP, "gw_wren");
                send(api, "GET", LAMP, "gw_robin");
            }
            Await.until("they are asked", () -> api.node.hanging.size() == 8);
            api.node.hangsAboutOne = false;
            assertThat(status(api, "GET", LAMP, "gw_wren")).isEqualTo(429);
            assertThat(status(api, "GET", LAMP, "gw_robin")).isEqualTo(429);
            assertThat(status(api, "GET", LAMP, "gw_ops")).isEqualTo(404);
            for (Socket each : open) {
                each.close();
            }
            Await.until("they have left", () -> api.node.counts.of("getClient 0") == 8);
            assertThat(status(api, "GET", LAMP, "gw_robin"))
                    .as("the nodes are still asked")
                    .isEqualTo(429);
            api.node.hanging.get(0).cancel(false);
            Await.until("either may ask again", () -> status(api, "GET", LAMP, "gw_robin") == 404);
        }
    }

    @Test
    void theTokensOfATenantShareTheirTurns() throws Exception {
        try (ApiFixture api = api(limits(100, LONG))) {
            api.node.hangs = true;
            for (int i = 0; i < 2; i++) {
                send(api, "GET", LIST, "gw_wren");
                send(api, "GET", LIST, "gw_robin");
            }
            Await.until("the nodes search", () -> api.node.hanging.size() == 3);
            turnLoop(api);
            assertThat(api.node.hanging).as("one waits for its turn").hasSize(3);
            api.node.hangs = false;
            assertThat(status(api, "GET", LIST, "gw_ops")).isEqualTo(200);
            for (Socket each : open) {
                each.close();
            }
            Await.until("all have left", () -> api.node.counts.of("listClients 0") == 4);
            api.node.hanging.forEach(each -> each.cancel(false));
            for (String token : List.of("gw_wren", "gw_robin")) {
                Await.until("it has its turn", () -> status(api, "GET", LIST, token) == 200);
            }
        }
    }

    /** Else three such requests would be the last searches of their caller. */
    @Test
    void aChangeThatIsRefusedForItsRecordGivesItsTurnBack() throws Exception {
        try (ApiFixture api = ApiFixture.recording(tokens(), new RecordBudget.Bounds(1, 100))) {
            assertThat(status(api, "DELETE", CLEAR + "a", "gw_wren")).isEqualTo(200);
            for (int i = 0; i < 4; i++) {
                assertThat(status(api, "DELETE", CLEAR + "a", "gw_robin")).isEqualTo(429);
            }
            assertThat(status(api, "GET", LIST, "gw_robin")).isEqualTo(200);
            assertThat(status(api, "DELETE", CLEAR + "a", "gw_ops"))
                    .as("another caller")
                    .isEqualTo(200);
        }
        assertThat(lines).hasSize(2);
    }

    @Test
    void aChangeThatIsRefusedForAFullDiskGivesItsTurnBack() throws Exception {
        try (ApiFixture api = api(limits(100, LONG))) {
            api.node.audit.isFull = true;
            Await.until("the disk is full", () -> status(api, "DELETE", "/api/v1/clients/none", "gw_ops") == 503);
            for (int i = 0; i < 4; i++) {
                assertThat(status(api, "DELETE", CLEAR + "a", "gw_ops")).isEqualTo(503);
            }
            assertThat(status(api, "GET", LIST, "gw_ops")).isEqualTo(200);
            api.node.audit.isFull = false;
        }
    }

    @Test
    void theTokensOfATenantOwnConnectionsTogether() throws Exception {
        try (ApiFixture api = api(limits(4, LONG))) {
            Deque<Socket> inOrder = new ArrayDeque<>();
            for (String token : List.of("gw_wren", "gw_wren", "gw_robin", "gw_robin")) {
                Socket socket = send(api, "GET", "/api/v1/me", token);
                assertThat(socket.getInputStream().read()).isEqualTo('H');
                inOrder.add(socket);
            }
            assertThat(api.raw(head("GET", "/health/live", "gw_ops") + "Connection: close\r\n\r\n", 20_000))
                    .startsWith("HTTP/1.1 200");
            for (String name : List.of("first", "second")) {
                Socket owned = inOrder.remove();
                write(owned, head("GET", "/health/live", "gw_wren") + "Connection: close\r\n\r\n");
                assertThat(ApiFixture.readAll(owned)).as(name).contains("HTTP/1.1 200");
            }
            assertThat(ApiFixture.readAll(inOrder.remove()))
                    .as("the third belongs to nobody, since the tenant owns two: its place is another's")
                    .doesNotContain("<open>");
        }
    }
}
