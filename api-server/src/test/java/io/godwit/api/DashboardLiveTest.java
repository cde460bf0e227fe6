package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.TokenFile.Entry;
import io.godwit.api.auth.TokenText;
import io.godwit.api.port.WebSocketSource.WebSocketListener;
import io.godwit.testing.Await;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** Messages that arrive on the page while somebody looks, in a real browser, from a WebSocket that a test answers. */
@Tag("slow")
class DashboardLiveTest {
    private static final String OPERATOR = TokenText.make(new SecureRandom());
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String HOSTILE = "<img src=x onerror=\"window.hacked=1;document.title='hacked'\">\u202e";
    private static final String HARMLESS = HOSTILE.replace("\u202e", "\\u{202e}");
    private static final String PASSWORD = "s3cret-s3cret";

    @TempDir
    private static Path profile;

    private static @Nullable Browser started;

    @TempDir
    private Path directory;

    private ApiFixture api;
    private FakeMqttSocket broker;

    @BeforeAll
    static void openBrowser() {
        started = Browser.open(profile);
    }

    @AfterAll
    static void closeBrowser() {
        if (started != null) {
            started.close();
        }
    }

    private static Browser browser() {
        return Objects.requireNonNull(started);
    }

    @BeforeEach
    void openApi() throws Exception {
        Path tokens = directory.resolve("tokens");
        Files.writeString(
                tokens,
                TokenFile.parse("")
                        .with(Entry.ofToken("ola", Role.OPERATOR, "", OPERATOR))
                        .text());
        api = ApiFixture.withTokens(tokens);
        broker = new FakeMqttSocket();
        api.node.webSockets = List.of(new WebSocketListener(false, broker.port(), "/mqtt"));
    }

    @AfterEach
    void closeAll() throws Exception {
        api.close();
        broker.close();
        assertThat(browser().run("return window.hacked ?? 0")).isEqualTo(0L);
        assertThat(browser().errors()).as("errors of the browser").isEmpty();
    }

    private void open() {
        String address = "http://127.0.0.1:" + api.port() + "/#/publish?topic=rooms%2F1";
        browser().go(address);
        browser().run("sessionStorage.clear()");
        browser().go(address);
        browser().find("#token").sendKeys(OPERATOR, Keys.ENTER);
        browser().find("#caller");
    }

    private void subscribe() {
        browser().find("#live-filter").clear();
        browser().find("#live-filter").sendKeys("rooms/#", Keys.ENTER);
    }

    private void sent(String... packets) {
        Await.until(() -> "sent: " + broker.seen, PATIENCE, () -> broker.seen.equals(List.of(packets)));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void messagesAreSeenAsTextWhileTheyArrive() throws Exception {
        open();
        assertThat(browser().find("#live-filter").getDomProperty("value")).isEqualTo("rooms/1");
        browser().find("#live-user").sendKeys("ann");
        browser().find("#live-password").sendKeys(PASSWORD);
        subscribe();
        browser().sees("#live-state", "Subscribed to rooms/# with QoS 1.");
        broker.publish(HOSTILE, utf8("a\n<b>" + HOSTILE));
        browser().sees("#arrivals .topic", HARMLESS);
        browser().sees("#arrivals .payload", "a\n<b>" + HARMLESS);
        broker.publish("rooms/binary", new byte[] {0, (byte) 0xff, 'A'});
        browser().sees("#arrivals li:first-child .payload", "00000000  00 ff 41");
        browser().sees("#live-count", "2 messages");
        browser().picture(Path.of("target/dashboard/live.png"));
        assertThat(browser().count("#arrivals img, #arrivals b")).isZero();
        assertThat(browser().find("#live-password").getDomProperty("value")).isEmpty();
        assertThat(browser().run("return JSON.stringify(localStorage) + JSON.stringify(sessionStorage)"))
                .asString()
                .doesNotContain(PASSWORD, "rooms");
        browser().find("#live-end").click();
        browser().sees("#live-state", "Unsubscribed.");
        sent("connect dashboard-* ann:" + PASSWORD, "subscribe rooms/# 1", "unsubscribe rooms/#", "disconnect");
        browser().sees("#arrivals .topic", "rooms/binary");
    }

    @Test
    void rowsAndPayloadsAreBounded() {
        open();
        subscribe();
        browser().sees("#live-state", "Subscribed");
        for (int i = 1; i <= 300; i++) {
            broker.publish("rooms/" + i, utf8("x"));
        }
        broker.publish("rooms/large", utf8("y".repeat(1_000_000)));
        browser().sees("#live-count", "301 messages, the last 100 of them here");
        browser().sees("#arrivals li:first-child .hint", "976.6 KiB");
        browser().sees("#arrivals li:first-child", "The first 2000 bytes of it.");
        assertThat(browser().count("#arrivals li")).isEqualTo(100);
        assertThat(browser().find("#arrivals li:last-child .topic").getText()).isEqualTo("rooms/202");
        assertThat((Long) browser().run("return document.querySelector('#arrivals .payload').textContent.length"))
                .isEqualTo(2_000);
    }

    @Test
    void refusalsAreToldInWords() {
        open();
        broker.connack = 5;
        subscribe();
        browser().sees("#live-error", "This user may not connect");
        broker.connack = 4;
        browser().find("#live-begin").click();
        browser().sees("#live-error", "The user name or the password is wrong.");
        broker.connack = 0;
        broker.suback = 0x80;
        browser().find("#live-begin").click();
        browser().sees("#live-error", "The broker refuses this subscription");
        broker.suback = 0;
        browser().find("#live-begin").click();
        browser().sees("#live-state", "Subscribed to rooms/# with QoS 0.");
        broker.drop();
        browser().sees("#live-error", "The connection is lost");
        browser().sees("#live-state", "Not connected.");
    }

    @Test
    void aListenerThatIsNotReachedIsTold() throws Exception {
        broker.close();
        open();
        subscribe();
        browser().sees("#live-error", "No WebSocket was opened.");
        browser().driver().manage().logs().get("browser"); // what this test provoked
        broker = new FakeMqttSocket();
    }

    /** The key Enter in a field subscribes, also while there is a subscription. */
    @Test
    void anotherFilterEndsTheConnectionOfTheOneBefore() {
        open();
        subscribe();
        browser().sees("#live-state", "Subscribed to rooms/#");
        browser().find("#live-filter").clear();
        browser().find("#live-filter").sendKeys("halls/#", Keys.ENTER);
        browser().sees("#live-state", "Subscribed to halls/#");
        Await.until(() -> "sent: " + broker.seen, PATIENCE, () -> broker.seen.contains("disconnect"));
        assertThat(broker.seen)
                .containsExactlyInAnyOrder(
                        "connect dashboard-*",
                        "subscribe rooms/# 1",
                        "disconnect",
                        "connect dashboard-*",
                        "subscribe halls/# 1");
    }

    @Test
    void theConnectionEndsWithThePage() {
        open();
        subscribe();
        browser().sees("#live-state", "Subscribed");
        browser().find("nav a[data-page=retained]").click();
        sent("connect dashboard-*", "subscribe rooms/# 1", "disconnect");
    }

    @Test
    void thePageSaysIfThereIsNoListener() {
        api.node.webSockets = List.of();
        open();
        browser().sees("#live-state", "This node has no WebSocket listener");
        assertThat(browser().count("#live-filter")).isZero();
    }

    @Test
    void thePolicyNamesTheListenersAndNothingElse() throws Exception {
        api.node.webSockets = List.of(
                new WebSocketListener(false, 8080, "/mqtt"),
                new WebSocketListener(true, 8443, "/mqtt"),
                new WebSocketListener(true, 8443, "/other"));
        assertThat(policy("10.0.0.1:8091"))
                .contains("; connect-src 'self' ws://10.0.0.1:8080 wss://10.0.0.1:8443; ")
                .contains("require-trusted-types-for 'script'");
        for (String host : List.of("[::1]:8091", "a'b", "*", "a_b", "-")) {
            assertThat(policy(host)).as(host).contains("; connect-src 'self'; ");
        }
        ApiFixture.Got got = api.get("/api/v1/websockets", "Authorization", "Bearer " + OPERATOR);
        assertThat(got.json().getJsonArray("items"))
                .hasSize(3)
                .contains(new JsonObject().put("tls", false).put("port", 8080).put("path", "/mqtt"));
    }

    private String policy(String host) throws Exception {
        String answer = api.raw("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n", 5_000);
        assertThat(answer).startsWith("HTTP/1.1 200");
        return answer.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-security-policy:"))
                .findFirst()
                .orElseThrow();
    }
}
