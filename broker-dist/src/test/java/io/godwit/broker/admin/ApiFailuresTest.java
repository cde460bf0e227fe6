package io.godwit.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.admin.http.LocalApi;
import io.godwit.broker.admin.terminal.Screen;
import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.mqtt.certificates.TestAuthority.Issued;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures between the command and the HTTP API: each has a message and an exit code, and no command hangs. */
@Timeout(120)
class ApiFailuresTest {
    private static final String TOKEN = "gdw_secret";

    @TempDir
    private Path directory;

    private FakeApi api;

    @BeforeEach
    void serve() throws Exception {
        api = new FakeApi(null);
    }

    @AfterEach
    void stop() {
        api.close();
    }

    private static ApiRun at(String url, String... more) {
        return within("50", url, more);
    }

    private static ApiRun within(String seconds, String url, String... more) {
        List<String> words = new ArrayList<>(List.of("clients", "--url", url, "--timeout", seconds));
        words.addAll(List.of(more));
        return ApiRun.of(Screen.NONE, Map.of("GODWIT_TOKEN", TOKEN), words.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "broker:8091",
                "ftp://broker:8091",
                "http://",
                "http://broker:99999",
                "http://broker:0",
                "https://user:pw@broker:8091",
                "http://broker:8091/?x=1",
                "http://bro ker",
                "127.0.0.1",
                ""
            })
    void aUrlThatIsNoneIsWrongUsage(String url) {
        ApiRun run = at(url);
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("--url must be").doesNotContain("pw", "Exception");
    }

    @Test
    void aNodeThatIsDownIsNotReachable() throws Exception {
        int port;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = taken.getLocalPort();
        }
        ApiRun run = at("http://127.0.0.1:" + port);
        assertThat(run.code()).isEqualTo(3);
        assertThat(run.err()).contains("is not reachable").doesNotContain("Exception");
        assertThat(at("http://nowhere.invalid:1").code()).isEqualTo(3);
    }

    /** The head of an answer, and then a byte now and then. */
    @Test
    void anAnswerThatDoesNotEndIsNotWaitedFor() {
        CountDownLatch over = new CountDownLatch(1);
        api.handle(exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            try {
                while (!over.await(100, TimeUnit.MILLISECONDS)) {
                    out.write(' ');
                    out.flush();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        long began = System.nanoTime();
        ApiRun run = within("2", api.url);
        over.countDown();
        assertThat(run.code()).isEqualTo(3);
        assertThat(run.err()).contains("has not answered in 2 s");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void aChangeWithoutAnAnswerMayHaveBeenDone() {
        api.handle(exchange -> exchange.getHttpContext().getServer().stop(0));
        ApiRun run = ApiRun.of("kick", "c", "--url", api.url);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("may still take effect");
        assertThat(api.asked).as("the request is not repeated").hasSize(1);
    }

    @Test
    void anAnswerOfFiftyMegabytesIsNotRead() {
        api.handle(exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, 0);
            byte[] part = new byte[1 << 20];
            OutputStream out = exchange.getResponseBody();
            for (int i = 0; i < 50; i++) {
                out.write(part);
            }
        });
        ApiRun run = at(api.url);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).contains("more than 16 MiB");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<html>\u001b[2J</html>",
                "",
                "{\"items\": [",
                "{\"items\": []} {}",
                "{items: []}",
                "{\"items\": 7}",
                "[]",
                "null",
                "7"
            })
    void anAnswerThatIsNoneIsNoStackTrace(String body) {
        api.handle(
                exchange -> FakeApi.answer(exchange, 200, "application/json", body.getBytes(StandardCharsets.UTF_8)));
        ApiRun run = at(api.url);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).containsPattern("address right|no list").doesNotContain("\u001b", "\tat ");
    }

    @Test
    void deepJsonIsNoStackOverflow() {
        api.answers(200, "[".repeat(2_000_000));
        assertThat(at(api.url).code()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "400, invalid-request, 2",
        "401, unauthorized, 3",
        "403, forbidden, 3",
        "404, not-found, 6",
        "405, method-not-allowed, 1",
        "413, too-large, 4",
        "429, too-many-requests, 4",
        "500, internal, 1",
        "503, unavailable, 4",
        "503, nodes-missing, 3",
        "503, not-stored, 1",
        "504, timeout, 1"
    })
    void aRefusalHasItsExitCodeAndItsReason(int status, String type, int code) {
        api.answers(status, FakeApi.problem(type, status, "since \\u001b[2J it is so"));
        ApiRun run = at(api.url);
        assertThat(run.code()).isEqualTo(code);
        assertThat(run.err()).contains("since \\x1b[2J it is so").doesNotContain(TOKEN);
        assertThat(api.last().token()).isEqualTo("Bearer " + TOKEN);
    }

    @Test
    void fieldsAndNodesOfARefusalAreNamed() {
        api.answers(400, """
                {"type": "urn:godwit:problem:invalid-request", "title": "t", "status": 400, "detail": "see errors",
                 "errors": [{"field": "limit", "message": "too many"}], "missingNodes": ["n7"]}""");
        assertThat(at(api.url).err()).contains("see errors; limit: too many; nodes that did not answer: n7");
    }

    @Test
    void anotherServerOrARedirectionGetsNoSecondRequest() {
        api.handle(exchange -> {
            exchange.getResponseHeaders().set("Location", api.url + "/elsewhere");
            FakeApi.answer(exchange, 302, "text/html", "moved".getBytes(StandardCharsets.UTF_8));
        });
        ApiRun run = at(api.url);
        assertThat(run.code()).isEqualTo(4);
        assertThat(run.err()).contains("has answered 302");
        assertThat(api.asked).hasSize(1);
    }

    @Test
    void aTokenComesFromAFileOrTheEnvironmentAndIsChecked() throws Exception {
        api.answers(200, "{\"items\": []}");
        Path file = Files.writeString(directory.resolve("token"), "gdw_of_file\n");
        assertThat(at(api.url, "--token-file", file.toString()).code()).isZero();
        assertThat(api.last().token()).isEqualTo("Bearer gdw_of_file");
        for (String wrong : new String[] {"", "two words", "line\r\nX-Evil: 1", "\u00fc", "x".repeat(5_000)}) {
            Files.writeString(file, wrong);
            ApiRun run = at(api.url, "--token-file", file.toString());
            assertThat(run.code()).as(wrong).isEqualTo(2);
            assertThat(run.err()).contains(file.toString());
            assertThat(run.err().replace(file.toString(), "")).doesNotContain("Evil", "two words");
        }
        assertThat(at(api.url, "--token-file", directory.resolve("none").toString())
                        .code())
                .isEqualTo(2);
        assertThat(ApiRun.of(Screen.NONE, Map.of("GODWIT_TOKEN", "a b"), "clients", "--url", api.url)
                        .err())
                .contains("GODWIT_TOKEN")
                .doesNotContain("a b");
        assertThat(ApiRun.of("clients", "--url", api.url, "--token", TOKEN).code())
                .as("there is no option for a token")
                .isEqualTo(2);
        api.answers(401, FakeApi.problem("unauthorized", 401, "send a token"));
        assertThat(ApiRun.of("clients", "--url", api.url).err()).contains("--token-file FILE");
    }

    @Test
    void whoShowsAWrongCertificateIsShownNoToken() throws Exception {
        TestAuthority ours = new TestAuthority("ours");
        TestAuthority others = new TestAuthority("others");
        Issued server = ours.issue("CN=broker");
        Path oursFile = TestAuthority.writePem(directory.resolve("ours.pem"), ours.certificate());
        Path othersFile = TestAuthority.writePem(directory.resolve("others.pem"), others.certificate());
        Path serverFile = TestAuthority.writePem(directory.resolve("server.pem"), server.certificate());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(TestAuthority.keyManagers(server).getKeyManagers(), null, null);
        try (FakeApi secure = new FakeApi(context)) {
            secure.answers(200, "{\"items\": []}");
            assertThat(at(secure.url, "--ca", oursFile.toString()).code()).isZero();
            assertThat(at(secure.url.replace("127.0.0.1", "localhost"), "--ca", oursFile.toString())
                            .code())
                    .isZero();
            assertThat(secure.asked).hasSize(2);

            ApiRun stranger = at(secure.url, "--ca", othersFile.toString());
            assertThat(stranger.code()).isEqualTo(3);
            assertThat(stranger.err()).contains("no trusted authority has signed its certificate");
            assertThat(at(secure.url).code()).isEqualTo(3);
            assertThat(at(secure.url.replace("https", "http")).err()).contains("does it need an https:// URL?");
            assertThat(secure.asked)
                    .as("no further request, so no further token, was sent")
                    .hasSize(2);

            assertThat(local(secure, othersFile).code()).isEqualTo(3);
            assertThat(secure.asked).hasSize(2);
        }
        try (FakeApi elsewhere = new FakeApi(context, "127.0.0.2")) {
            ApiRun otherName = at(elsewhere.url, "--ca", oursFile.toString());
            assertThat(otherName.code()).isEqualTo(3);
            assertThat(otherName.err()).contains("TLS has failed", "127.0.0.2");
            assertThat(elsewhere.asked).isEmpty();
        }
        assertThat(at(api.url, "--ca", oursFile.toString()).code()).isEqualTo(2);
        assertThat(at("https://127.0.0.1:1", "--ca", "/nowhere").code()).isEqualTo(2);
        assertThat(at("https://127.0.0.1:1", "--cert", serverFile.toString()).err())
                .contains("go together");
    }

    /** As a broker without TLS does. */
    @Test
    void whoSpeaksNoTlsIsNamed() throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread answers = new Thread(() -> answerPlainly(plain));
            answers.start();
            ApiRun run = at("https://127.0.0.1:" + plain.getLocalPort());
            assertThat(run.code()).isEqualTo(3);
            assertThat(run.err()).contains("does it need an http:// URL?");
        } // which ends the thread
    }

    /** Reads the whole ClientHello: a close with unread input would reset the connection, and the client repeats it. */
    private static void answerPlainly(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket one = server.accept()) {
                one.getInputStream().read(new byte[16 << 10]);
                one.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // the assertion of the test fails, or the socket is closed
            }
        }
    }

    private ApiRun local(FakeApi secure, Path certificate) throws Exception {
        LocalApi.of(
                        ProcessHandle.current().pid(),
                        new InetSocketAddress(
                                InetAddress.getLoopbackAddress(),
                                URI.create(secure.url).getPort()),
                        Optional.of(certificate))
                .write(directory);
        return ApiRun.of("clients", "--data", directory.toString());
    }

    /** The names in the certificate do not matter, as the configuration file says which certificate it is. */
    @Test
    void theBrokerOfADataDirectoryIsKnownByItsCertificate() throws Exception {
        TestAuthority ours = new TestAuthority("ours");
        Issued server = ours.issue("CN=broker");
        Path file = TestAuthority.writePem(directory.resolve("server.pem"), server.certificate());
        Path other = TestAuthority.writePem(
                directory.resolve("other.pem"), ours.issue("CN=broker").certificate());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(TestAuthority.keyManagers(server).getKeyManagers(), null, null);
        try (FakeApi secure = new FakeApi(context)) {
            secure.answers(200, "{\"items\": []}");
            assertThat(local(secure, file).code()).isZero();
            assertThat(local(secure, other).err()).contains("not the one of the broker's configuration");
            assertThat(secure.asked).hasSize(1);
        }
    }
}
