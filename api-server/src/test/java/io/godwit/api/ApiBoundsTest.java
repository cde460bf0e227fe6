package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.ApiFixture.Got;
import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.http.gate.HttpLimits;
import io.godwit.testing.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nobody holds more than a bounded share for a bounded time. */
class ApiBoundsTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(400);
    private static final String REQUEST = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private static final String LAST = "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    private static HttpLimits limits(
            int connections, int perAddress, Duration head, Duration idle, Duration request, int all, int perCaller) {
        return new HttpLimits(connections, perAddress, 16_384, 16_384, 1_024, head, idle, request, all, perCaller);
    }

    private static void write(Socket socket, String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** A connection beyond the limit replaces one of the caller's own beyond its half. */
    @Test
    void connectionsAreBounded() throws Exception {
        List<Socket> open = new ArrayList<>();
        try (ApiFixture api = ApiFixture.open(limits(100, 3, LONG, LONG, LONG, 1_000, 1_000))) {
            for (int i = 0; i < 3; i++) {
                Socket socket = api.connect();
                open.add(socket);
                socket.setSoTimeout(20_000);
                write(socket, "GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(socket.getInputStream().read()).isEqualTo('H');
            }
            assertThat(api.raw(LAST, 20_000)).startsWith("HTTP/1.1 200");
            assertThat(ApiFixture.readAll(open.get(1)))
                    .as("its place is another's")
                    .doesNotContain("<open>");
            write(open.get(0), LAST);
            assertThat(ApiFixture.readAll(open.get(0)))
                    .as("the first connection stays open")
                    .contains("HTTP/1.1 200");
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    @Test
    void aHeadThatComesByteByByteEndsTheConnection() throws Exception {
        try (ApiFixture api = ApiFixture.open(limits(100, 100, SHORT, LONG, LONG, 1_000, 1_000));
                Socket socket = api.connect()) {
            Await.until("it is closed", () -> {
                try {
                    write(socket, "G");
                    return false;
                } catch (IOException e) {
                    return true; // it was closed
                }
            });
        }
    }

    @Test
    void aConnectionThatSaysNothingIsClosed() throws Exception {
        try (ApiFixture api = ApiFixture.open(limits(100, 100, SHORT, SHORT, LONG, 1_000, 1_000))) {
            assertThat(api.raw("", 10_000)).isEmpty();
            assertThat(api.raw(REQUEST, 10_000)).startsWith("HTTP/1.1 200").doesNotContain("<open>");
        }
    }

    @Test
    void aBodyThatDoesNotComeIsAnswered408() throws Exception {
        try (ApiFixture api = ApiFixture.open(limits(100, 100, SHORT, LONG, LONG, 1_000, 1_000))) {
            assertThat(api.raw(
                            "PUT /api/v1/log-levels/io.godwit HTTP/1.1\r\nHost: localhost\r\n"
                                    + "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{",
                            10_000))
                    .startsWith("HTTP/1.1 408 ")
                    .doesNotContain("<open>");
        }
    }

    @Test
    void anAnswerThatDoesNotComeIsAProblem() throws Exception {
        try (ApiFixture api = ApiFixture.open(limits(100, 100, LONG, LONG, SHORT, 1_000, 1_000))) {
            api.node.hangs = true;
            Got got = api.get("/api/v1/clients");
            assertThat(got.status()).isEqualTo(504);
            assertThat(got.problem()).isEqualTo("timeout");
            assertThat(api.get("/health/live").status()).isEqualTo(200);
        }
    }

    /** The caller stays unknown while the kernel's tables cannot be read. */
    @Test
    void anAuthenticationThatDoesNotEndIsAProblem() throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        try (ApiFixture api = ApiFixture.with(
                limits(100, 100, LONG, LONG, SHORT, 1_000, 1_000), ApiFixture.each(ends -> isReleased(held)))) {
            for (int i = 0; i < 3; i++) {
                Got got = api.get("/api/v1/nodes");
                assertThat(got.status()).isEqualTo(503);
                assertThat(got.json().getString("detail")).contains("in time");
            }
            assertThat(api.get("/health/live").status()).isEqualTo(200);
            held.countDown();
            Await.until("it is known", () -> api.get("/api/v1/nodes").status() == 200);
        } finally {
            held.countDown();
        }
    }

    private static boolean isReleased(CountDownLatch latch) {
        try {
            return latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false; // the server is closed
        }
    }

    @Test
    void aCallerThatAsksTooOftenMustWait() throws Exception {
        try (ApiFixture api = ApiFixture.open(limits(100, 100, LONG, LONG, LONG, 1_000, 5))) {
            Got refused = firstRefused(api, "/health/live", 200);
            assertThat(refused.problem()).isEqualTo("too-many-requests");
            assertThat(refused.header("Retry-After")).isEqualTo("1");
            Await.until("it may ask again", () -> api.get("/health/live").status() == 200);
        }
    }

    @Test
    void allTogetherAreBounded() throws Exception {
        try (ApiFixture api = ApiFixture.open(limits(100, 100, LONG, LONG, LONG, 5, 1_000))) {
            assertThat(firstRefused(api, "/api/v1/nodes", 200).json().getString("detail"))
                    .contains("all callers");
        }
    }

    /**
     * Strangers with many addresses can keep out neither callers with a token nor the health checks of a supervisor.
     */
    @Test
    void callersWithoutATokenDoNotBlockCallersWithOne(@TempDir Path dir) throws Exception {
        Path tokens = dir.resolve("tokens");
        Files.writeString(
                tokens,
                TokenFile.parse("")
                        .with(TokenFile.Entry.ofToken("vic", Role.VIEWER, "", "a secret"))
                        .text());
        try (ApiFixture api = ApiFixture.withTokens(tokens, limits(100, 100, LONG, LONG, LONG, 2, 1_000))) {
            for (int i = 0; i < 3; i++) {
                assertThat(firstRefused(api, "/api/v1/nodes", 401).problem()).isEqualTo("too-many-requests");
            }
            assertThat(api.get("/health/live").status()).isEqualTo(200);
            assertThat(api.get("/api/v1/nodes", "Authorization", "Bearer a secret")
                            .status())
                    .isEqualTo(200);
            assertThat(api.get("/health/ready").status()).isEqualTo(200);
        }
    }

    private static Path tokens(Path dir) throws IOException {
        return Files.writeString(
                dir.resolve("tokens"),
                TokenFile.parse("")
                        .with(TokenFile.Entry.ofToken("vic", Role.VIEWER, "", "a secret"))
                        .with(TokenFile.Entry.ofToken("val", Role.VIEWER, "", "another"))
                        .text());
    }

    /** Or a tenant with many tokens would use up what all callers have together. */
    @Test
    void theTokensOfATenantShareItsRate(@TempDir Path dir) throws Exception {
        int many = 20;
        TokenFile all = TokenFile.parse("").with(TokenFile.Entry.ofToken("ops", Role.VIEWER, "", "gw_ops"));
        for (int i = 0; i < many; i++) {
            all = all.with(TokenFile.Entry.ofToken("birds-" + i, Role.VIEWER, "birds", "gw_birds_" + i));
        }
        Path file = Files.writeString(dir.resolve("tokens"), all.text());
        try (ApiFixture api = ApiFixture.withTokens(file, limits(100, 100, LONG, LONG, LONG, 1_000, 1))) {
            boolean isShared = false;
            for (int i = 1; i < many && !isShared; i++) { // on a slow machine a second may pass between the two
                for (int status = 0; status != 429; status = ask(api, "gw_birds_0")) {
                    assertThat(status).isIn(0, 200);
                }
                isShared = ask(api, "gw_birds_" + i) == 429;
            }
            assertThat(isShared).isTrue();
            Await.until("others are not held back for long", () -> ask(api, "gw_ops") == 200);
        }
    }

    private static int ask(ApiFixture api, String token) throws Exception {
        return api.get("/api/v1/me", "Authorization", "Bearer " + token).status();
    }

    /** As behind a proxy or a router with one address for all. */
    @Test
    void callersWithoutATokenDoNotBlockATokenFromTheirAddress(@TempDir Path dir) throws Exception {
        try (ApiFixture api = ApiFixture.withTokens(tokens(dir), limits(100, 100, LONG, LONG, LONG, 1_000, 2))) {
            for (int i = 0; i < 3; i++) {
                assertThat(firstRefused(api, "/api/v1/nodes", 401).json().getString("detail"))
                        .contains("this address");
            }
            assertThat(api.get("/api/v1/nodes", "Authorization", "Bearer a secret")
                            .status())
                    .isEqualTo(200);
            assertThat(api.get("/health/ready").status()).isEqualTo(200);
            assertThat(firstRefused(api, "/health/ready", 200).json().getString("detail"))
                    .as("health checks have a limit for each address")
                    .contains("this address");
        }
    }

    /** The rate of all addresses together is bounded; yet each address is answered once a second. */
    @Test
    void healthIsBoundedOverAllAddresses() throws Exception {
        try (ApiFixture api = ApiFixture.open(limits(100, 100, LONG, LONG, LONG, 3, 1_000))) {
            assertThat(firstRefused(api, "/health/live", 200).json().getString("detail"))
                    .contains("all callers");
            assertThat(api.get("/api/v1/nodes").status())
                    .as("other requests are not affected")
                    .isEqualTo(200);
            Await.until("it may ask again", () -> api.get("/health/live").status() == 200);
        }
    }

    /** A caller gets a place even if one token has every connection of its address. */
    @Test
    void oneTokenKeepsHalfOfTheConnections(@TempDir Path dir) throws Exception {
        List<Socket> open = new ArrayList<>();
        try (ApiFixture api = ApiFixture.withTokens(tokens(dir), limits(4, 100, LONG, LONG, LONG, 1_000, 1_000))) {
            for (int i = 0; i < 4; i++) {
                Socket socket = api.connect();
                socket.setSoTimeout(20_000);
                write(socket, "GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a secret\r\n\r\n");
                assertThat(socket.getInputStream().read()).isEqualTo('H');
                open.add(socket);
            }
            for (int i = 0; i < 3; i++) {
                assertThat(api.raw(LAST, 20_000)).startsWith("HTTP/1.1 200");
            }
            write(open.get(0), LAST);
            write(open.get(1), LAST);
            assertThat(ApiFixture.readAll(open.get(0)))
                    .as("the first connection stays open")
                    .contains("HTTP/1.1 200");
            assertThat(ApiFixture.readAll(open.get(1)))
                    .as("the second connection stays open")
                    .contains("HTTP/1.1 200");
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    /** Whatever connections callers with tokens keep open, from however many addresses. */
    @Test
    void twoTokensLeaveHealthReachable(@TempDir Path dir) throws Exception {
        List<Socket> open = new ArrayList<>();
        try (ApiFixture api = ApiFixture.withTokens(tokens(dir), limits(16, 8, LONG, LONG, LONG, 1_000, 1_000))) {
            for (int i = 1; i <= 4; i++) {
                for (String token : List.of("a secret", "another", "a secret", "another", "a secret", "another")) {
                    Socket socket = from("127.0.0." + i, api);
                    open.add(socket);
                    write(
                            socket,
                            "GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token
                                    + "\r\n\r\n");
                    assertThat(socket.getInputStream().read()).isEqualTo('H');
                }
            }
            for (String address : List.of("127.0.0.1", "127.0.0.4", "127.0.0.9")) {
                try (Socket probe = from(address, api)) {
                    write(probe, LAST);
                    assertThat(ApiFixture.readAll(probe)).as(address).startsWith("HTTP/1.1 200");
                }
            }
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    private static Socket from(String address, ApiFixture api) throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout(20_000);
        socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), api.port()));
        return socket;
    }

    /**
     * Searches of one token first wait and then are refused; those of other tokens, and requests about one client, are
     * answered.
     */
    @Test
    void searchesOfOneTokenLeaveSomeToOthers(@TempDir Path dir) throws Exception {
        String search = "GET /api/v1/clients HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a secret\r\n\r\n";
        List<Socket> open = new ArrayList<>();
        try (ApiFixture api = ApiFixture.withTokens(tokens(dir), limits(100, 100, LONG, LONG, LONG, 1_000, 1_000))) {
            api.node.hangs = true;
            for (int i = 0; i < 9; i++) {
                Socket socket = api.connect();
                open.add(socket);
                write(socket, search);
            }
            Await.until("one is refused", () -> api.raw(search, 1_000).startsWith("HTTP/1.1 429"));
            api.node.hangs = false;
            assertThat(api.get("/api/v1/clients", "Authorization", "Bearer another")
                            .status())
                    .isEqualTo(200);
            assertThat(api.get("/api/v1/clients/lamp", "Authorization", "Bearer a secret")
                            .status())
                    .isEqualTo(404);
            for (Socket socket : open) {
                socket.close(); // the caller has left, but the nodes still search
            }
            assertThat(api.raw(search, 500)).as("the search waits").isEqualTo("<open>");
            assertThat(api.node.hanging)
                    .as("no search begins for a caller that has left")
                    .hasSize(3);
            api.node.hanging.forEach(each -> each.cancel(false));
            Await.until(
                    "it has its turn",
                    () -> api.get("/api/v1/clients", "Authorization", "Bearer a secret")
                                    .status()
                            == 200);
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    private static String withToken(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a secret\r\n\r\n";
    }

    /** Each limit is another question to all nodes. */
    @Test
    void topListsOfOneTokenLeaveSomeToOthers(@TempDir Path dir) throws Exception {
        String path = "/api/v1/top/slow-subscribers?limit=";
        List<Socket> open = new ArrayList<>();
        try (ApiFixture api = ApiFixture.withTokens(tokens(dir), limits(100, 100, LONG, LONG, LONG, 1_000, 1_000))) {
            api.node.top.hangs = true;
            for (int i = 1; i <= 9; i++) {
                Socket socket = api.connect();
                open.add(socket);
                write(socket, withToken(path + i));
            }
            Await.until(
                    "one is refused", () -> api.raw(withToken(path + 10), 1_000).startsWith("HTTP/1.1 429"));
            assertThat(api.node.top.asked).hasSize(3);
            api.node.top.hangs = false;
            assertThat(api.get(path + 11, "Authorization", "Bearer another").status())
                    .isEqualTo(200);
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    /** While a node hangs, the questions of one token to it do not keep another one from a client. */
    @Test
    void questionsOfOneTokenAboutOneClientLeaveSomeToOthers(@TempDir Path dir) throws Exception {
        String path = "/api/v1/clients/lamp";
        List<Socket> open = new ArrayList<>();
        try (ApiFixture api = ApiFixture.withTokens(tokens(dir), limits(100, 100, LONG, LONG, LONG, 1_000, 1_000))) {
            api.node.hangsAboutOne = true;
            for (int i = 0; i < 8; i++) {
                Socket socket = api.connect();
                open.add(socket);
                write(socket, withToken(path));
            }
            Await.until("they are asked", () -> api.node.hanging.size() == 8);
            api.node.hangsAboutOne = false;
            Got refused = api.get(path, "Authorization", "Bearer a secret");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Retry-After")).isEqualTo("1");
            assertThat(api.get(path, "Authorization", "Bearer another").status())
                    .isEqualTo(404);
            assertThat(api.get("/health/live", "Authorization", "Bearer a secret")
                            .status())
                    .as("health is answered, whatever its caller has under way")
                    .isEqualTo(200);
            for (Socket socket : open) {
                socket.close(); // the caller has left, but the nodes are still asked
            }
            assertThat(api.get(path, "Authorization", "Bearer a secret").status())
                    .isEqualTo(429);
            api.node.hanging.get(0).cancel(false);
            Await.until(
                    "it may ask again",
                    () -> api.get(path, "Authorization", "Bearer a secret").status() == 404);
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    /** The loop that answers all others does not look at a body that is not small. */
    @Test
    void largeBodiesAreCheckedElsewhere(@TempDir Path dir) throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        HttpLimits limits = new HttpLimits(400, 400, 16_384, 16_384, 65_536, LONG, LONG, LONG, 100_000, 100_000);
        TokenFile tokens = TokenFile.parse("").with(TokenFile.Entry.ofToken("ops", Role.OPERATOR, "", "gw_ops"));
        for (int i = 0; i < 17; i++) { // each may have eight requests under way
            tokens = tokens.with(TokenFile.Entry.ofToken("vic-" + i, Role.VIEWER, "", "gw_" + i));
        }
        List<Socket> asking = new ArrayList<>();
        try (ApiFixture api = ApiFixture.withTokens(Files.writeString(dir.resolve("tokens"), tokens.text()), limits)) {
            assertThat(publish(api, 10).status()).isEqualTo(200);
            api.node.beforeNodes = () -> isReleased(held);
            for (int i = 0; i < 131; i++) { // two workers, and all that may wait for them
                Socket socket = api.connect();
                asking.add(socket);
                write(
                        socket,
                        "GET /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer gw_" + i % 17
                                + "\r\n\r\n");
            }
            String body = "{\"topic\": \"a\", \"payload\": \"" + "x".repeat(60_000) + "\"}";
            String large = "POST /api/v1/publish HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer gw_ops\r\n"
                    + "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
            // a request that arrived before these waits with them
            Await.until(
                    "nobody is left to look at it", () -> api.raw(large, 1_000).startsWith("HTTP/1.1 503"));
            assertThat(publish(api, 10).status()).isEqualTo(200);
            held.countDown();
            Await.until("somebody looks at it", () -> publish(api, 60_000).status() == 200);
        } finally {
            held.countDown();
            for (Socket socket : asking) {
                socket.close();
            }
        }
    }

    private static Got publish(ApiFixture api, int bytes) throws Exception {
        return api.send(
                "POST",
                "/api/v1/publish",
                "{\"topic\": \"a\", \"payload\": \"" + "x".repeat(bytes) + "\"}",
                "Content-Type",
                "application/json",
                "Authorization",
                "Bearer gw_ops");
    }

    /** Each large answer is in memory: a further one waits until clients have read theirs, or left. */
    @Test
    void largeAnswersUnderWayAreBounded() throws Exception {
        List<Socket> deaf = new ArrayList<>();
        try (ApiFixture api = ApiFixture.open()) {
            api.node.messages.retain("large", new byte[1 << 20]); // six times as much in JSON
            for (int i = 0; i < 3; i++) {
                Socket socket = new Socket();
                deaf.add(socket);
                socket.setReceiveBufferSize(4_096);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), api.port()));
                write(socket, "GET /api/v1/retained/large HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(socket.getInputStream().read())
                        .as("the answer has begun")
                        .isEqualTo('H');
            }
            CompletableFuture<Integer> oneMore = CompletableFuture.supplyAsync(() -> statusOfLarge(api));
            assertThat(api.get("/api/v1/nodes").status()).isEqualTo(200);
            assertThat(oneMore).isNotDone();
            for (Socket socket : deaf) {
                socket.close();
            }
            assertThat(oneMore.get(30, TimeUnit.SECONDS)).isEqualTo(200);
        } finally {
            for (Socket socket : deaf) {
                socket.close();
            }
        }
    }

    private static int statusOfLarge(ApiFixture api) {
        try {
            return api.get("/api/v1/retained/large").status();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Got firstRefused(ApiFixture api, String path, int before) throws Exception {
        for (int i = 0; i < 1_000; i++) {
            Got got = api.get(path);
            if (got.status() != before) {
                assertThat(got.status()).isEqualTo(429);
                return got;
            }
        }
        throw new AssertionError("nothing was refused");
    }

    /** Requests that are sent without waiting for answers are answered in their order. */
    @Test
    void requestsInARowAreAnsweredInOrder() throws Exception {
        try (ApiFixture api = ApiFixture.open()) {
            String answer = api.raw(
                    REQUEST + "GET /api/v1/nodes HTTP/1.1\r\nHost: localhost\r\n\r\n"
                            + "GET /none HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                    10_000);
            assertThat(answer).containsSubsequence("\"ok\"", "node-a", "HTTP/1.1 404");
        }
    }

    /** An unread answer waits without a busy loop, and others are answered. */
    @Test
    void anAnswerThatNobodyReadsHoldsUpNobody() throws Exception {
        try (ApiFixture api = ApiFixture.open();
                Socket deaf = new Socket()) {
            deaf.setReceiveBufferSize(4_096);
            deaf.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), api.port()));
            write(deaf, "GET /api/v1/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n");
            for (int i = 0; i < 20; i++) {
                assertThat(api.get("/api/v1/nodes").status()).isEqualTo(200);
            }
            deaf.setSoTimeout(10_000);
            long bytes = 0;
            byte[] piece = new byte[65_536];
            while (bytes < 1_600_000) {
                int n = deaf.getInputStream().read(piece);
                assertThat(n).isPositive();
                bytes += n;
            }
        }
    }

    /** Whatever was requested: a connection ends when its answer is not read in time. */
    @Test
    @Tag("slow")
    void anAnswerThatNobodyReadsEndsItsConnection() throws Exception {
        String large = "GET /api/v1/docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n";
        try (ApiFixture api = ApiFixture.open(limits(100, 100, SHORT, SHORT, SHORT, 1_000, 1_000));
                Socket one = new Socket();
                Socket more = new Socket()) {
            for (Socket deaf : List.of(one, more)) {
                deaf.setReceiveBufferSize(4_096);
                deaf.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), api.port()));
            }
            write(one, large);
            write(more, large.repeat(5));
            Await.until("they are there", () -> api.node.counts.open() == 2);
            Await.until("they are closed", () -> api.node.counts.open() == 0);
        }
    }
}
