package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.godwit.api.ApiFixture.Got;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.TokenFile.Entry;
import io.godwit.api.auth.TokenText;
import io.godwit.api.http.gate.HttpLimits;
import io.godwit.api.port.access.TokenAdmin;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Who may do what. */
class ApiAccessTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String VIEWER = TokenText.make(RANDOM);
    private static final String OPERATOR = TokenText.make(RANDOM);
    private static final String ADMIN = TokenText.make(RANDOM);
    private static final String TENANT = TokenText.make(RANDOM);
    private static final String DELETE = "DELETE /api/v1/clients/lamp HTTP/1.1\r\nConnection: close\r\n";

    @TempDir
    private Path directory;

    private ApiFixture withTokens() throws Exception {
        Path file = directory.resolve("tokens");
        Files.writeString(
                file,
                TokenFile.parse("")
                        .with(Entry.ofToken("vic", Role.VIEWER, "", VIEWER))
                        .with(Entry.ofToken("ola", Role.OPERATOR, "", OPERATOR))
                        .with(Entry.ofToken("ada", Role.ADMIN, "", ADMIN))
                        .with(Entry.ofToken("ten", Role.OPERATOR, "t1", TENANT))
                        .text());
        return lamps(ApiFixture.withTokens(file));
    }

    private static ApiFixture lamps(ApiFixture api) {
        api.node.add("default", "lamp", "ann", 5, true, 10);
        api.node.add("t1", "lamp", "ann", 5, true, 10);
        return api;
    }

    private static String[] bearer(String token) {
        return new String[] {"Authorization", "Bearer " + token};
    }

    @Test
    void requestsWithoutAValidTokenAreRefused() throws Exception {
        try (ApiFixture api = withTokens()) {
            Got none = api.get("/api/v1/nodes");
            assertThat(none.status()).isEqualTo(401);
            assertThat(none.problem()).isEqualTo("unauthorized");
            assertThat(none.header("WWW-Authenticate")).startsWith("Bearer");
            assertThat(api.get("/metrics").status()).isEqualTo(401);
            assertThat(api.get("/api/v1/nodes", bearer("wrong")).status()).isEqualTo(401);
            assertThat(api.get("/api/v1/nodes", bearer("")).status()).isEqualTo(401);
            assertThat(api.get("/api/v1/nodes", "Authorization", "Basic " + ADMIN)
                            .status())
                    .isEqualTo(401);
            assertThat(api.get("/api/v1/nodes?access_token=" + ADMIN).status()).isEqualTo(401);
            assertThat(api.get("/api/v1/nodes", bearer(VIEWER)).status()).isEqualTo(200);
            assertThat(api.get("/api/v1/nodes", "Authorization", "bearer " + VIEWER)
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void eachRoleMayCallOnlyItsOwnOperations() throws Exception {
        try (ApiFixture api = withTokens()) {
            Got refused = api.send("DELETE", "/api/v1/clients/lamp", null, bearer(VIEWER));
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.json().getString("detail")).contains("operator");
            assertThat(api.node.disconnected).isEmpty();
            assertThat(api.send("DELETE", "/api/v1/clients/lamp", null, bearer(OPERATOR))
                            .status())
                    .isEqualTo(204);
            assertThat(level(api, OPERATOR).status()).isEqualTo(403);
            assertThat(level(api, ADMIN).status()).isEqualTo(204);
        }
    }

    @Test
    void steeringNeedsAnOperatorAndATenantSteersItsOwn() throws Exception {
        try (ApiFixture api = withTokens()) {
            api.node.sessions.add("t1", "lamp", false, 3);
            String body = "{\"topic\":\"a\"}";
            for (String change : List.of(
                    "DELETE /api/v1/sessions/lamp",
                    "DELETE /api/v1/sessions/lamp/queue",
                    "DELETE /api/v1/retained/a",
                    "DELETE /api/v1/retained?filter=a",
                    "POST /api/v1/publish")) {
                String method = change.substring(0, change.indexOf(' '));
                String path = change.substring(change.indexOf(' ') + 1);
                String sent = method.equals("POST") ? body : null;
                String type = "application/json";
                assertThat(api.send(method, path, sent, "Content-Type", type, "Authorization", "Bearer " + VIEWER)
                                .status())
                        .as(change)
                        .isEqualTo(403);
                String other = path + (path.contains("?") ? "&" : "?") + "tenant=default";
                assertThat(api.send(method, other, sent, "Content-Type", type, "Authorization", "Bearer " + TENANT)
                                .status())
                        .as(change)
                        .isEqualTo(403);
            }
            assertThat(api.node.sessions.calls).isEmpty();
            assertThat(api.node.messages.published).isEmpty();
            for (String path : List.of(
                    "/api/v1/sessions",
                    "/api/v1/sessions/lamp",
                    "/api/v1/clients/lamp/subscriptions",
                    "/api/v1/subscriptions?filter=a",
                    "/api/v1/subscriptions/matching?topic=a",
                    "/api/v1/retained?filter=a",
                    "/api/v1/retained/a")) {
                String other = path + (path.contains("?") ? "&" : "?") + "tenant=default";
                assertThat(api.get(other, bearer(TENANT)).status()).as(path).isEqualTo(403);
                assertThat(api.get(path).status()).as(path).isEqualTo(401);
            }
            assertThat(api.get("/api/v1/sessions", bearer(TENANT)).json().getJsonArray("items"))
                    .hasSize(1);
            assertThat(api.send("DELETE", "/api/v1/sessions/lamp/queue", null, bearer(TENANT))
                            .status())
                    .isEqualTo(200);
            assertThat(api.send(
                                    "POST",
                                    "/api/v1/publish",
                                    body,
                                    "Content-Type",
                                    "application/json",
                                    "Authorization",
                                    "Bearer " + TENANT)
                            .status())
                    .isEqualTo(200);
            assertThat(api.node.sessions.calls).containsExactly("purge t1 lamp");
            assertThat(api.node.messages.published.get(0).tenant()).isEqualTo("t1");
        }
    }

    private static Got level(ApiFixture api, String token) throws Exception {
        return api.send(
                "PUT",
                "/api/v1/log-levels/io.godwit.x",
                "{\"level\":\"info\"}",
                "Content-Type",
                "application/json",
                "Authorization",
                "Bearer " + token);
    }

    /** HTTP takes such a part out of a path. */
    @Test
    void aClientWhoseIdNoPathCanHaveIsNamedByAParameter() throws Exception {
        try (ApiFixture api = withTokens()) {
            for (String id : List.of(".", "..", "-")) {
                api.node.add("default", id, "ann", 5, true, 10);
            }
            assertThat(api.get("/api/v1/clients/-?id=..", bearer(VIEWER))
                            .json()
                            .getJsonObject("item")
                            .getString("clientId"))
                    .isEqualTo("..");
            assertThat(api.send("DELETE", "/api/v1/clients/-?id=.", null, bearer(OPERATOR))
                            .status())
                    .isEqualTo(204);
            assertThat(api.send("DELETE", "/api/v1/clients/-", null, bearer(OPERATOR))
                            .status())
                    .isEqualTo(204);
            assertThat(api.send("DELETE", "/api/v1/clients/x?id=..", null, bearer(OPERATOR))
                            .field())
                    .isEqualTo("id");
            assertThat(api.node.disconnected).containsExactly("default/. 152", "default/- 152");
        }
    }

    @Test
    void aTokenOfATenantSeesItsOwnOnly() throws Exception {
        try (ApiFixture api = withTokens()) {
            Got list = api.get("/api/v1/clients", bearer(TENANT));
            assertThat(list.json().getJsonArray("items")).hasSize(1);
            assertThat(list.json().getJsonArray("items").getJsonObject(0).getString("tenant"))
                    .isEqualTo("t1");
            assertThat(api.get("/api/v1/clients?tenant=default", bearer(TENANT)).status())
                    .isEqualTo(403);
            assertThat(api.send("DELETE", "/api/v1/clients/lamp?tenant=default", null, bearer(TENANT))
                            .status())
                    .isEqualTo(403);
            assertThat(api.get("/api/v1/nodes", bearer(TENANT)).status()).isEqualTo(403);
            assertThat(api.get("/metrics", bearer(TENANT)).status()).isEqualTo(403);
            assertThat(api.node.disconnected).isEmpty();
            assertThat(api.send("DELETE", "/api/v1/clients/lamp", null, bearer(TENANT))
                            .status())
                    .isEqualTo(204);
            assertThat(api.node.disconnected).containsExactly("t1/lamp 152");
        }
    }

    /** Messages that a plugin has not taken yet, and messages for later, are kept in sessions without a client. */
    @Test
    void aTokenOfATenantReachesNoSessionOfTheBroker() throws Exception {
        try (ApiFixture api = withTokens()) {
            api.node.sessions.add("t1", "\0sub/sink/all", false, 9);
            String path = "/api/v1/sessions/%00sub%2Fsink%2Fall";
            for (String each : List.of(path, path + "/queue", "/api/v1/sessions/-?id=%00sub/sink/all")) {
                assertThat(api.send("DELETE", each, null, bearer(TENANT)).status())
                        .as(each)
                        .isEqualTo(403);
            }
            assertThat(api.node.sessions.calls).isEmpty();
            assertThat(api.send("DELETE", path + "?tenant=t1", null, bearer(OPERATOR))
                            .status())
                    .isEqualTo(204);
        }
    }

    @Test
    void aChangedFileCountsAndABrokenOneDoesNot() throws Exception {
        try (ApiFixture api = withTokens()) {
            Path file = directory.resolve("tokens");
            String text = Files.readString(file);
            Files.writeString(file, "broken");
            String later = TokenText.make(RANDOM);
            assertThat(api.get("/api/v1/nodes", bearer(VIEWER)).status()).isEqualTo(200);
            Files.writeString(
                    file,
                    TokenFile.parse(text)
                            .without("vic")
                            .orElseThrow()
                            .with(Entry.ofToken("new", Role.VIEWER, "", later))
                            .text());
            Await.until(
                    "the new token counts",
                    () -> api.get("/api/v1/nodes", bearer(later)).status() == 200);
            assertThat(api.get("/api/v1/nodes", bearer(VIEWER)).status()).isEqualTo(401);
        }
    }

    @Test
    void healthNeedsNoTokenAndTellsStrangersNoReasons() throws Exception {
        try (ApiFixture api = withTokens()) {
            assertThat(api.get("/health/ready").json().getJsonArray("reasons")).isEmpty();
            String rebound = "GET /health/ready HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
            assertThat(api.raw(rebound, 10_000)).startsWith("HTTP/1.1 200 ").doesNotContain("reasons");
            Got throughProxy = api.get("/health/ready", "X-Forwarded-For", "192.0.2.1");
            assertThat(throughProxy.status()).isEqualTo(200);
            assertThat(throughProxy.json().containsKey("reasons")).isFalse();
            Got known = api.get("/health/ready", "X-Forwarded-For", "192.0.2.1", "Authorization", "Bearer " + VIEWER);
            assertThat(known.json().containsKey("reasons")).isTrue();
            assertThat(api.get("/health/ready", bearer("wrong")).status()).isEqualTo(200);
        }
    }

    /** A page of another site may have its name point to 127.0.0.1: the browser then sends that name. */
    @Test
    void withoutTokensOnlyThisMachineByALoopbackNameMayAsk() throws Exception {
        try (ApiFixture api = lamps(ApiFixture.open())) {
            for (String host : List.of("localhost:8091", "127.0.0.1", "127.1.2.3:80", "[::1]:8091", "LOCALHOST")) {
                assertThat(raw(api, "Host: " + host)).as(host).startsWith("HTTP/1.1 204 ");
            }
            api.node.disconnected.clear();
            for (String host : List.of("evil.example", "127.0.0.1.evil.example", "localhost.evil", "1270.0.0.1", "")) {
                assertThat(raw(api, "Host: " + host)).as(host).containsPattern("HTTP/1.1 40[03] ");
            }
            assertThat(raw(api, "X: y")).doesNotContain("HTTP/1.1 2");
            for (String header : List.of("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP")) {
                assertThat(raw(api, "Host: localhost\r\n" + header + ": 1"))
                        .as(header)
                        .startsWith("HTTP/1.1 403 ");
            }
            assertThat(api.node.disconnected).isEmpty();
        }
    }

    private static String raw(ApiFixture api, String headers) throws IOException {
        return api.raw(DELETE + headers + "\r\n\r\n", 10_000);
    }

    @Test
    void withoutTokensAnotherUserOfThisMachineIsRefused() throws Exception {
        try (ApiFixture api = lamps(ApiFixture.ofStrangers())) {
            assertThat(api.get("/api/v1/nodes").status()).isEqualTo(403);
            assertThat(api.send("DELETE", "/api/v1/clients/lamp", null).status())
                    .isEqualTo(403);
            assertThat(api.node.disconnected).isEmpty();
            assertThat(api.get("/health/live").status()).isEqualTo(200);
        }
    }

    /** Nor does the broker read the kernel's tables for each of its requests. */
    @Test
    void anotherUserOfThisMachineDoesNotLockOutTheOwner() throws Exception {
        Set<Integer> ports = ConcurrentHashMap.newKeySet();
        AtomicInteger asked = new AtomicInteger();
        Duration time = Duration.ofSeconds(30);
        HttpLimits limits = new HttpLimits(100, 100, 16_384, 16_384, 1_024, time, time, time, 1_000, 1);
        String again = "GET /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\n\r\n";
        String last = "GET /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        try (ApiFixture api = ApiFixture.with(limits, ApiFixture.each(ends -> {
            asked.incrementAndGet();
            return !ports.contains(ends.there().getPort());
        }))) {
            for (int i = 0; i < 8; i++) {
                try (Socket stranger = new Socket()) {
                    stranger.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                    ports.add(stranger.getLocalPort());
                    stranger.setSoTimeout(20_000);
                    stranger.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), api.port()));
                    stranger.getOutputStream().write(again.repeat(5).getBytes(StandardCharsets.US_ASCII));
                    assertThat(ApiFixture.readAll(stranger))
                            .as("one answer, and the connection ends")
                            .containsPattern("HTTP/1.1 4(03|29) |<reset>")
                            .doesNotContain("<open>", "HTTP/1.1 2");
                }
                ports.clear();
            }
            assertThat(asked).as("looks at 8 connections").hasValueLessThanOrEqualTo(8);
            assertThat(api.raw(last, 20_000)).startsWith("HTTP/1.1 200 ");
            assertThat(api.raw(last, 20_000))
                    .as("the rate of the owner itself")
                    .containsPattern("^HTTP/1.1 (200|429) ")
                    .doesNotContain("this address");
        }
    }

    /** Requests that a page of another site makes a browser send have no effect. */
    @Test
    void anotherSiteCannotAct() throws Exception {
        try (ApiFixture api = lamps(ApiFixture.open())) {
            String own = "Host: 127.0.0.1:" + api.port() + "\r\n";
            for (String header : List.of(
                    "Origin: http://evil.example",
                    "Origin: null",
                    "Origin: https://127.0.0.1:" + api.port(),
                    "Sec-Fetch-Site: cross-site",
                    "Sec-Fetch-Site: same-site",
                    "Cookie: a=b",
                    "Cookie: a=b\r\nSec-Fetch-Site: none",
                    "Cookie: a=b\r\nSec-Fetch-Site: same-origin\r\nOrigin: http://evil.example")) {
                assertThat(raw(api, own + header)).as(header).startsWith("HTTP/1.1 403 ");
            }
            String preflight = api.raw(
                    "OPTIONS /api/v1/clients/lamp HTTP/1.1\r\nConnection: close\r\n" + own
                            + "Origin: http://evil.example\r\nAccess-Control-Request-Method: DELETE\r\n\r\n",
                    10_000);
            assertThat(preflight).startsWith("HTTP/1.1 405 ").doesNotContainIgnoringCase("access-control-allow");
            assertThat(api.node.disconnected).isEmpty();
            assertThat(raw(api, own + "Origin: http://127.0.0.1:" + api.port() + "\r\nSec-Fetch-Site: same-origin"))
                    .startsWith("HTTP/1.1 204 ");
        }
    }

    /** Cookies set by others on the same host are sent with the page's requests. */
    @Test
    void aCookieDoesNotDisableThePage() throws Exception {
        for (String header : List.of("Sec-Fetch-Site: same-origin", "Origin: http://127.0.0.1:")) {
            try (ApiFixture api = lamps(ApiFixture.open())) {
                String sent = header.endsWith(":") ? header + api.port() : header;
                assertThat(raw(api, "Host: 127.0.0.1:" + api.port() + "\r\nCookie: a=b\r\n" + sent))
                        .as(sent)
                        .startsWith("HTTP/1.1 204 ");
            }
        }
    }

    @Test
    void withoutTokensItListensOnLoopbackOnly() {
        ApiServer server = new ApiServer(
                new ApiConfig("0.0.0.0", 0, Optional.empty(), Optional.empty(), true, ApiFixture.LIMITS),
                ApiFixture.ports(new FakeNode(), ApiFixture.TRUSTED));
        assertThatThrownBy(server::start)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("apiServerConfig.host is 0.0.0.0")
                .hasMessageContaining("apiServerConfig.tokensFile");
        server.close();
    }

    private static ApiConfig at(String host) {
        return new ApiConfig(host, 0, Optional.empty(), Optional.empty(), true, ApiFixture.LIMITS);
    }

    @Test
    void loopbackAddressesAreRecognizedInEverySpelling() throws Exception {
        for (String host : List.of("127.0.0.1", "127.9.9.9", "::1", "[::1]", "::ffff:127.0.0.1", "localhost")) {
            ApiServer.requireLoopback(at(host));
        }
        for (String host : List.of("0.0.0.0", "0", "::", "::ffff:0.0.0.0", "::ffff:192.0.2.1", "::127.0.0.1")) {
            assertThatThrownBy(() -> ApiServer.requireLoopback(at(host)))
                    .as(host)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("apiServerConfig.host is " + host);
        }
    }

    @Test
    void aTakenPortIsNamed() throws Exception {
        try (ApiFixture api = ApiFixture.open();
                ApiServer second = new ApiServer(
                        new ApiConfig(
                                "127.0.0.1", api.port(), Optional.empty(), Optional.empty(), true, ApiFixture.LIMITS),
                        ApiFixture.ports(new FakeNode(), ApiFixture.TRUSTED))) {
            assertThatThrownBy(second::start)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("127.0.0.1:" + api.port())
                    .hasMessageContaining("apiServerConfig.port")
                    .hasMessageContaining("Address already in use");
        }
    }

    @Test
    void changesAreRecorded() throws Exception {
        Logger audit = (Logger) LoggerFactory.getLogger("io.godwit.audit");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        audit.addAppender(lines);
        audit.setLevel(ch.qos.logback.classic.Level.INFO);
        try (ApiFixture api = withTokens()) {
            api.send("DELETE", "/api/v1/clients/lamp", null, bearer(OPERATOR));
            api.send("DELETE", "/api/v1/clients/no%0Abody", null, bearer(OPERATOR));
            api.send("DELETE", "/api/v1/clients/lamp", null, bearer(VIEWER));
            api.get("/api/v1/clients", bearer(VIEWER));
            level(api, ADMIN);
            replace(api, OPERATOR);
            replace(api, ADMIN);
        } finally {
            audit.detachAppender(lines);
            audit.setLevel(null);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(
                        line -> assertThat(line)
                                .contains("by=ola", "kind=token", "role=operator", "address=127.0.0.1")
                                .contains("operation=disconnectClient", "\"clientId\":\"lamp\"", "status=204"),
                        line -> assertThat(line)
                                .contains("no\\nbody", "status=404")
                                .doesNotContain("\n"),
                        line -> assertThat(line).contains("by=vic", "status=403"),
                        line -> assertThat(line)
                                .contains("by=ada", "operation=setLogLevel", "{\"level\":\"info\"}", "status=204"),
                        line -> assertThat(line).contains("by=ola", "operation=replaceNode", "status=403"),
                        line -> assertThat(line)
                                .contains("by=ada", "operation=replaceNode", "\"node\":\"node-a\"")
                                .contains("{\"by\":\"node-b\"}", "status=202"));
    }

    /** A name alone may be that of a token of the file and of one of the API. */
    @Test
    void recordsNameTheTenantAndTheSourceOfTheToken() throws Exception {
        Logger audit = (Logger) LoggerFactory.getLogger("io.godwit.audit");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        audit.addAppender(lines);
        audit.setLevel(ch.qos.logback.classic.Level.INFO);
        String made = TokenText.make(RANDOM);
        try (ApiFixture api = withTokens()) {
            assertThat(api.node.records.add(
                            new TokenAdmin.Token("ola", "operator", "", hash(made), "", -1, "ada", 0),
                            Duration.ofSeconds(1)))
                    .isCompletedWithValue(true);
            for (String token : List.of(TENANT, OPERATOR, made)) {
                api.send("DELETE", "/api/v1/clients/none", null, bearer(token));
            }
        } finally {
            audit.detachAppender(lines);
            audit.setLevel(null);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(
                        line -> assertThat(line)
                                .contains(
                                        "by=ten ",
                                        " tenant=t1 source=file:" + hash(TENANT).substring(0, 8) + " ")
                                .doesNotContain(hash(TENANT)),
                        line -> assertThat(line)
                                .contains(
                                        "by=ola ",
                                        " tenant=- source=file:"
                                                + hash(OPERATOR).substring(0, 8) + " "),
                        line -> assertThat(line)
                                .contains(
                                        "by=ola ",
                                        " tenant=- source=api:" + hash(made).substring(0, 8) + " "));
    }

    private static String hash(String token) {
        return HexFormat.of().formatHex(TokenText.hash(token));
    }

    private static void replace(ApiFixture api, String token) throws Exception {
        api.send(
                "POST",
                "/api/v1/nodes/node-a/replace",
                "{\"by\":\"node-b\"}",
                "Content-Type",
                "application/json",
                "Authorization",
                "Bearer " + token);
    }

    /** Values that clients and callers choose neither move a terminal's cursor nor fill the log. */
    @Test
    void recordsAreShortAndVisible() throws Exception {
        Logger audit = (Logger) LoggerFactory.getLogger("io.godwit.audit");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        audit.addAppender(lines);
        audit.setLevel(ch.qos.logback.classic.Level.INFO);
        try (ApiFixture api = withTokens()) {
            api.send("DELETE", "/api/v1/clients/a%C2%9B2J%E2%80%AEb%E2%80%A8c", null, bearer(OPERATOR));
            api.send("DELETE", "/api/v1/clients/" + "x".repeat(10_000), null, bearer(VIEWER));
            api.send("DELETE", "/api/v1/clients/" + "x".repeat(10_000), null, bearer(TENANT));
        } finally {
            audit.detachAppender(lines);
            audit.setLevel(null);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactly(
                        line -> assertThat(line).contains("a\\u009b2J\\u202eb\\u2028c"),
                        line -> assertThat(line)
                                .contains("by=vic", "... of 10", "status=403")
                                .hasSizeLessThan(1_000),
                        line -> assertThat(line)
                                .contains("by=ten", "... of 10", "status=404")
                                .hasSizeLessThan(3_000));
    }
}
