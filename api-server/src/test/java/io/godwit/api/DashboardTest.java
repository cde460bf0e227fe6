package io.godwit.api;

import static io.godwit.api.Dashboard.ADMIN;
import static io.godwit.api.Dashboard.OPERATOR;
import static io.godwit.api.Dashboard.TENANT;
import static io.godwit.api.Dashboard.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.auth.TokenFile;
import io.godwit.api.port.BanAdmin.Kind;
import io.godwit.api.port.BanAdmin.Wanted;
import io.godwit.api.port.DelayedAdmin.DelayedView;
import io.godwit.api.port.HealthView;
import io.godwit.api.port.Liveness;
import io.godwit.api.port.LogLevels;
import io.godwit.api.port.NodeHistory;
import io.godwit.api.port.NodeHistory.Sample;
import io.godwit.api.port.NodeView;
import io.godwit.api.port.RangeView;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The dashboard in a real browser, over a broker in memory. Each test ends without a complaint of the browser. */
@Tag("slow")
@ExtendWith(OneBrowser.class)
class DashboardTest {
    private static final String THIRD = "node-c";
    private static final Path PICTURES = Path.of("target/dashboard");
    private static final long STEP = 10_000;
    private static final List<Double> BOUNDS = List.of(1.0, 5.0, 25.0, 100.0);

    private static final List<String> PAGES = List.of(
            "overview",
            "nodes",
            "clients",
            "clients/lamp-001?tenant=default",
            "sessions",
            "sessions/lamp-001?tenant=default",
            "subscriptions?by=topic&text=rooms/1",
            "groups",
            "groups/$share%2Fg%2Fa%2F+",
            "bans",
            "retained",
            "retained/rooms%2F1",
            "delayed",
            "publish",
            "events",
            "trace",
            "ranges",
            "configuration",
            "users",
            "tokens",
            "settings");

    /** Client ids chosen to harm whoever views them. */
    private static final List<String> HOSTILE = List.of(
            "<img src=x onerror=\"window.hacked=1;document.title='hacked'\">",
            "\"><script>window.hacked=1</script>",
            "javascript:window.hacked=1",
            "../../api/v1/nodes?x=#y/%2e%2e/",
            "a\u202Egpj.exe",
            "' autofocus onfocus='window.hacked=1",
            "{{constructor.constructor('window.hacked=1')()}}",
            "鴫 \uD83D\uDC26 ключ");

    @TempDir
    private Path directory;

    private Dashboard dashboard;
    private ApiFixture api;

    private static Browser browser() {
        return OneBrowser.browser();
    }

    @BeforeEach
    void openDashboard() throws Exception {
        dashboard = new Dashboard(directory);
        api = dashboard.api;
        fill(api.node);
    }

    @AfterEach
    void closeDashboard() {
        dashboard.close();
    }

    /** Three nodes with an hour of figures, ranges and clients. */
    private static void fill(FakeNode node) {
        node.nodes = List.of(
                new NodeView(
                        FakeNode.ID,
                        "10.0.0.1:1884",
                        "0.1.0",
                        "z1",
                        Liveness.ALIVE,
                        false,
                        8,
                        0.42,
                        512L << 30,
                        300L << 30,
                        3,
                        7,
                        false,
                        true),
                new NodeView(
                        FakeNode.OTHER,
                        "10.0.0.2:1884",
                        "0.1.0",
                        "z2",
                        Liveness.ALIVE,
                        true,
                        8,
                        0.31,
                        512L << 30,
                        280L << 30,
                        2,
                        7,
                        false,
                        false),
                new NodeView(THIRD, "10.0.0.3:1884", "", "", Liveness.DOWN, false, 0, -1, 0, 0, 2, 7, false, false));
        node.ranges.put(
                "dist",
                List.of(
                        FakeNode.range("dist", 1, "", "default/m", FakeNode.ID, 120),
                        FakeNode.range("dist", 2, "default/m", "", FakeNode.OTHER, 60)));
        node.ranges.put(
                "inbox",
                List.of(
                        FakeNode.range("inbox", 1, "", "\\x10", FakeNode.ID, 400),
                        FakeNode.range("inbox", 2, "\\x10", "\\x80", FakeNode.OTHER, 220),
                        FakeNode.range("inbox", 3, "\\x80", "\\xc0", THIRD, 90),
                        FakeNode.range("inbox", 4, "\\xc0", "", "", 0)));
        node.figures = Map.of("sessions.count", 31_400L, "subscriptions.count", 52_000L, "retained.count", 1_280L);
        node.history = List.of(
                hour(FakeNode.ID, "10.0.0.1:1884", 1_200),
                hour(FakeNode.OTHER, "10.0.0.2:1884", 700),
                hour(THIRD, "10.0.0.3:1884", 450));
        for (int i = 0; i < 120; i++) {
            node.add("default", "lamp-%03d".formatted(i), "ann", i % 2 == 0 ? 5 : 4, true, i);
        }
        node.add("t1", "kettle", "bob", 5, true, 0);
        HOSTILE.forEach(id -> node.add("default", id, id, 5, true, 1));
        for (int i = 0; i < 60; i++) {
            node.sessions.add("default", "lamp-%03d".formatted(i), i % 2 == 0, 1 + i);
            node.messages.retain("rooms/" + i, "21.5".getBytes(StandardCharsets.UTF_8));
            node.delayed.waiting.add(new DelayedView("id" + i, "rooms/" + i, "timer", 1, 7, 1_800_000_000_000L));
        }
        node.records.ban(
                new Wanted("default", Kind.CLIENT, HOSTILE.get(0), OptionalLong.empty(), "floods", "ola", false),
                Duration.ofSeconds(1));
    }

    private static NodeHistory hour(String id, String name, double rate) {
        long end = 1_790_000_000_000L / STEP;
        List<Sample> samples = LongStream.rangeClosed(end - 359, end)
                .mapToObj(step -> new Sample(
                        step * STEP,
                        rate * 10,
                        rate + 100 * Math.sin(step / 20.0),
                        2 * rate + 150 * Math.cos(step / 25.0),
                        step % 50 < 5 ? Map.of("queue_full", 3.5, "expired", 1.0) : Map.of(),
                        List.of(900L, 80L, 15L, 5L, 0L)))
                .toList();
        return new NodeHistory(id, name, BOUNDS, samples);
    }

    private String address(String page) {
        return dashboard.address(page);
    }

    private void logIn(String token, String page) {
        dashboard.logIn(token, page);
    }

    @Test
    void withoutAValidTokenNothingIsShown() throws Exception {
        Browser browser = browser();
        browser.go(address(""));
        browser.find("#token");
        assertThat(browser.count("nav a")).isZero();
        browser.find("#token").sendKeys("wrong", Keys.ENTER);
        browser.sees("#login-error", "The token is not valid.");
        browser.find("#token").clear();
        browser.find("#token").sendKeys("räuber", Keys.ENTER);
        browser.sees("#login-error", "That is no token.");
        assertThat(browser.run("return sessionStorage.length")).isEqualTo(0L);
        browser.picture(PICTURES.resolve("login.png"));
        browser.find("#token").clear();
        browser.find("#token").sendKeys(VIEWER, Keys.ENTER);
        browser.sees("#caller", "vic (viewer)");
        browser.sees("h1", "Overview");
        assertThat(browser.run("return [localStorage.length, document.cookie, location.search]"))
                .isEqualTo(List.of(0L, "", ""));
        browser.driver().navigate().refresh();
        browser.sees("#caller", "vic");
        browser.find("#logout").click();
        browser.find("#token");
        assertThat(browser.run("return sessionStorage.length")).isEqualTo(0L);
        assertThat(browser.text()).doesNotContain("10.0.0.1");
    }

    @Test
    void aTokenThatIsTakenAwayLeadsToTheLogin() throws Exception {
        logIn(VIEWER, "#/nodes");
        browser().sees("td, th", "10.0.0.1:1884");
        Files.writeString(
                dashboard.tokens,
                TokenFile.parse(Files.readString(dashboard.tokens))
                        .without("vic")
                        .orElseThrow()
                        .text());
        browser().sees("#login-error", "The token is no longer valid.");
        assertThat(browser().text()).doesNotContain("10.0.0.1");
    }

    @Test
    void anOpenApiAsksForNoToken() throws Exception {
        try (ApiFixture open = ApiFixture.open()) {
            fill(open.node);
            browser().go("http://127.0.0.1:" + open.port() + "/");
            browser().sees("#caller", "local (admin)");
            assertThat(browser().count("#logout")).isZero();
            browser().sees("#tile-nodes dd", "3");
        }
        try (ApiFixture strangers = ApiFixture.ofStrangers()) {
            browser().go("http://127.0.0.1:" + strangers.port() + "/");
            browser().sees(".error", "only the user that the broker runs as");
            assertThat(browser().count("#token")).isZero();
        }
    }

    @Test
    void theOverviewHasEachNodeAndTheSum() {
        Browser browser = browser();
        logIn(VIEWER, "#/overview");
        browser.sees("#tile-connections dd", "23,500");
        browser.sees("#chart-connections li", "23,500");
        browser.sees("#tile-sessions dd", "31,400");
        browser.sees("#tile-subscriptions dd", "52,000");
        browser.sees("#tile-retained dd", "1,280");
        assertThat(browser.find("#chart-connections-plot").getDomAttribute("aria-label"))
                .isEqualTo("Connections: All 23,500, 10.0.0.1:1884 12,000, 10.0.0.2:1884 7,000, 10.0.0.3:1884 4,500");
        assertThat(browser.count("#chart-in canvas")).isEqualTo(1);
        assertThat(browser.find("#chart-dropped .legend").getText()).contains("queue full", "expired");
        assertThat(browser.find("#chart-latency .legend").getText()).contains("p50", "p95", "p99", "ms");
        browser.sees("#health", "is ready");
        browser.find("#chart-in summary").click();
        browser.sees("#chart-in table thead", "10.0.0.2:1884");
        assertThat(browser.count("#chart-in tbody tr")).isEqualTo(30);

        api.node.missing = List.of(THIRD);
        api.node.history = api.node.history.subList(0, 2);
        api.node.health = new HealthView(List.of(), List.of("store inbox starts"));
        browser.lookAgain();
        browser.sees("#missing", "No answer from " + THIRD);
        browser.sees("#health", "is not ready: store inbox starts");
        browser.sees("#tile-nodes dd", "2");
    }

    /** A user who turns pages faster than they load sees the last one. */
    @Test
    void pagesThatAreTurnedFastEndWhereTheyShould() {
        logIn(VIEWER, "#/clients");
        browser().sees("#found", "Page 1, 50 clients");
        browser().find("#next").click();
        browser().sees("#found", "Page 2, 50 clients");
        String second = browser().find("tbody tr").getText();
        browser().run("document.getElementById('again').click(); document.getElementById('back').click()");
        browser().sees("#found", "Page 1, 50 clients");
        assertThat(browser().find("tbody tr").getText()).isNotEqualTo(second);
    }

    /** The page requests only new data, which moves the charts. */
    @Test
    void theOverviewGoesOn() {
        logIn(VIEWER, "#/overview");
        browser().sees("#tile-connections dd", "23,500");
        List<NodeHistory> later = new ArrayList<>();
        for (NodeHistory node : api.node.history) {
            long at = node.samples().get(359).atMillis() + STEP;
            later.add(new NodeHistory(
                    node.id(),
                    node.name(),
                    node.boundsMillis(),
                    List.of(new Sample(at, 10, 1, 2, Map.of(), List.of()))));
        }
        api.node.history = later;
        browser().lookAgain();
        browser().sees("#tile-connections dd", "30");
        browser().sees("#tile-in dd", "3");
        browser().find("#chart-connections summary").click();
        browser().sees("#chart-connections tbody tr:first-child", "30");
        browser().sees("#chart-connections tbody tr:nth-child(2)", "23,500");
    }

    @Test
    void nodesHaveStateAndLoad() {
        logIn(VIEWER, "#/nodes");
        browser().sees("tbody tr:nth-child(1)", "10.0.0.1:1884 (asked)");
        browser().sees("tbody tr:nth-child(1) .good", "alive");
        browser().sees("tbody tr:nth-child(1)", "42 % of 8");
        browser().sees("tbody tr:nth-child(1)", "300 GiB of 512 GiB");
        browser().sees("tbody tr:nth-child(1)", "12,000");
        browser().sees("tbody tr:nth-child(2) .so-so", "alive, draining");
        browser().sees("tbody tr:nth-child(3) .bad", "down");
        NodeView first = api.node.nodes.get(0);
        api.node.nodes = List.of(first);
        browser().lookAgain();
        browser().seesNo("tbody tr:nth-child(2)");
    }

    @Test
    void clientsAreFoundPageByPage() {
        Browser browser = browser();
        logIn(VIEWER, "#/clients");
        browser.sees("#found", "Page 1, 50 clients");
        browser.find("#next").click();
        browser.sees("#found", "Page 2, 50 clients");
        browser.find("#back").click();
        browser.sees("#found", "Page 1");
        assertThat(browser.find("#back").isEnabled()).isFalse();
        browser.find("#text").sendKeys("lamp-01", Keys.ENTER);
        browser.sees("#found", "Page 1, 10 clients");
        assertThat(browser.text()).contains("lamp-010", "lamp-019").doesNotContain("lamp-020");
        browser.driver().navigate().back();
        browser.sees("#found", "50 clients");
        browser.find("#by").sendKeys("User name");
        browser.find("#text").sendKeys("bob", Keys.ENTER);
        browser.sees("#found", "1 client");
        browser.sees("tbody tr", "kettle");
        browser.find("#text").clear();
        browser.find("#text").sendKeys("nobody", Keys.ENTER);
        browser.sees(".empty", "None.");
    }

    @Test
    void anOperatorDisconnectsAClientAfterAQuestion() {
        Browser browser = browser();
        logIn(OPERATOR, "#/clients?by=clientIdPrefix&text=lamp-007");
        browser.sees("tbody a", "lamp-007");
        browser.find("tbody a").sendKeys(Keys.ENTER);
        browser.sees("#client-state", "Connected.");
        browser.sees(".fields", "192.0.2.7:40000");
        browser.sees(".fields", "3.1.1");
        browser.find("#kick").sendKeys(Keys.ENTER);
        browser.sees("dialog", "lamp-007");
        assertThat(browser.run("return document.activeElement.id")).isEqualTo("dialog-no");
        browser.driver().switchTo().activeElement().sendKeys(Keys.ESCAPE);
        browser.seesNo("dialog");
        assertThat(browser.run("return document.activeElement.id")).isEqualTo("kick");
        browser.find("#kick").click();
        browser.find("#dialog-no").click();
        browser.seesNo("dialog");
        browser.find("#kick").click();
        browser.sees("dialog", "lamp-007");
        browser.driver().navigate().back(); // leaves the question behind
        browser.seesNo("dialog");
        browser.driver().navigate().forward();
        browser.sees("#client-state", "Connected.");
        assertThat(api.node.disconnected).isEmpty();

        browser.find("#kick").click();
        browser.find("#dialog-yes").click();
        browser.sees("#client-state", "Disconnected.");
        assertThat(api.node.disconnected).containsExactly("default/lamp-007 152");
    }

    /** Periodic requests meanwhile do not remove it. */
    @Test
    void aRefusalStaysToBeRead() {
        Browser browser = browser();
        logIn(OPERATOR, "#/clients/lamp-007?tenant=default");
        browser.sees("#client-state", "Connected.");
        browser.find("#kick").click();
        browser.sees("dialog", "lamp-007");
        api.node.missing = List.of(FakeNode.OTHER);
        api.node.add("default", "lamp-007", "ann", 5, false, 0); // it has gone meanwhile
        browser.find("#dialog-yes").click();
        browser.sees("#client-state", "Not connected.");
        browser.sees("#notice", "no answer of " + FakeNode.OTHER);
    }

    @Test
    void aViewerCannotDisconnect() {
        logIn(VIEWER, "#/clients/lamp-007?tenant=default");
        browser().sees("#client-state", "Connected.");
        browser().sees("#may-not", "the role operator");
        assertThat(browser().count("#kick")).isZero();
        Object status = browser().driver().executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                fetch('/api/v1/clients/lamp-007', {method: 'DELETE',
                  headers: {Authorization: 'Bearer ' + sessionStorage.getItem('godwit.token')}})
                  .then(answer => done(answer.status))""");
        assertThat(status).isEqualTo(403L);
        assertThat(api.node.disconnected).isEmpty();
    }

    /** An id is a text everywhere: in the list, in the title, in the question, and in the path of the request. */
    @Test
    void aHostileClientIdIsShownAndSentAsItIs() {
        Browser browser = browser();
        logIn(OPERATOR, "#/clients");
        for (String id : HOSTILE) {
            browser.run("location.hash = '#/clients'");
            // not typed: the driver types no characters beyond the BMP
            browser.sees("#found", "Page 1, 50 clients");
            browser.run("document.getElementById('text').value = arguments[0]", id);
            browser.find("#text").sendKeys(Keys.ENTER);
            browser.sees("#found", "Page 1, 1 client");
            browser.find("tbody a").click();
            browser.sees("#client-state", "Connected.");
            assertThat(browser.find("#client-id").getText()).isEqualTo(id.replace("\u202E", "\\u{202e}"));
            browser.find("#kick").click();
            browser.sees("dialog bdi", id.replace("\u202E", "\\u{202e}"));
            browser.find("#dialog-yes").click();
            browser.sees("#client-state", "Disconnected.");
            assertThat(api.node.disconnected).contains("default/" + id + " 152");
            assertThat(browser.run("return [typeof window.hacked, document.querySelectorAll('main img').length, "
                            + "document.querySelectorAll('body script').length]"))
                    .isEqualTo(List.of("undefined", 0L, 0L));
            assertThat(browser.driver().getTitle()).endsWith(" - Godwit");
        }
        assertThat(api.node.disconnected).hasSameSizeAs(HOSTILE);
    }

    /** HTTP removes them from paths, so that the path would name another resource. */
    @Test
    void aClientThatNoPathCanNameIsNotLinked() {
        api.node.add("default", ".", "dot", 5, true, 0);
        api.node.add("default", "..", "dot", 5, true, 0);
        logIn(OPERATOR, "#/clients?by=userName&text=dot");
        browser().sees("#found", "2 clients");
        assertThat(browser().count("tbody a")).isZero();
        browser().go(address("#/clients/%2E%2E?tenant=default"));
        browser().sees("#client-state", "cannot be written");
        assertThat(api.node.disconnected).isEmpty();
    }

    /** The longest id that MQTT has makes the page neither slow nor wide. */
    @Test
    void aVeryLongClientIdIsCut() {
        api.node.add("default", "x".repeat(65_535), "long", 5, true, 0);
        logIn(VIEWER, "#/clients?by=userName&text=long");
        browser().sees("tbody a", "x…");
        assertThat(browser().find("tbody a").getText()).hasSize(121);
        assertFits();
    }

    @Test
    void aSplitIsSeen() throws Exception {
        Browser browser = browser();
        logIn(VIEWER, "#/ranges");
        browser.sees("#store-inbox h2", "inbox: 4 ranges");
        assertThat(browser.count("#store-inbox .bar")).isEqualTo(4);
        assertThat(browser.find("#store-inbox li:nth-child(2) .bar").getDomAttribute("aria-label"))
                .contains("Range 2, from \\x10 to \\x80, leader 10.0.0.2:1884", "4 KiB", "220 operations a second");
        browser.find("#store-inbox li:nth-child(2) .bar").sendKeys(Keys.ENTER);
        browser.sees("#store-inbox tr.selected", "\\x10");

        List<RangeView> ranges = new ArrayList<>(api.node.ranges.get("inbox"));
        ranges.set(1, FakeNode.range("inbox", 2, "\\x10", "\\x40", FakeNode.OTHER, 110));
        ranges.add(2, FakeNode.range("inbox", 7, "\\x40", "\\x80", THIRD, 110));
        api.node.ranges.put("inbox", List.copyOf(ranges));
        browser.lookAgain();
        browser.sees("#store-inbox h2", "inbox: 5 ranges");
        browser.sees("#news li", "inbox: range 2 was split at \\x40, range 7 is new");
        assertThat(browser.count("#store-inbox .bar.new")).isEqualTo(1);
        assertThat(browser.run("return document.getElementById('said').textContent")
                        .toString())
                .contains("range 2 was split");
        assertThat(browser.run("return document.activeElement.querySelector('.bar-id').textContent"))
                .as("the same bar keeps the focus")
                .isEqualTo("2");
        browser.picture(PICTURES.resolve("split.png"));

        ranges.remove(2);
        ranges.set(1, FakeNode.range("inbox", 2, "\\x10", "\\x80", FakeNode.ID, 110));
        api.node.ranges.put("inbox", List.copyOf(ranges));
        browser.lookAgain();
        browser.sees("#news li", "inbox: range 7 was merged into another");
        browser.sees("#news li", "inbox: range 2 is led by 10.0.0.1:1884");
        browser.find("#width").sendKeys("its load");
        browser.sees("#store-inbox h2", "inbox: 4 ranges");
    }

    @Test
    void anAdministratorSetsALogLevel() {
        Browser browser = browser();
        logIn(ADMIN, "#/settings");
        browser.sees("tbody tr", "io.godwit");
        browser.find("#logger").clear();
        browser.find("#logger").sendKeys("io.godwit.kv");
        browser.find("#level").sendKeys("warn");
        browser.find("form button").click();
        browser.sees("#level-done", "io.godwit.kv: warn");
        assertThat(api.node.levels).containsEntry("io.godwit.kv", LogLevels.Level.WARN);
        browser.find("select[aria-label='Level of io.godwit.kv']").sendKeys("error");
        browser.sees("#level-done", "io.godwit.kv: error");
        assertThat(api.node.levels).containsEntry("io.godwit.kv", LogLevels.Level.ERROR);
        browser.find("#logger").clear();
        browser.find("#logger").sendKeys("org.other", Keys.ENTER);
        browser.sees("#notice", "is no logger of the broker");

        logIn(OPERATOR, "#/settings");
        browser.sees("#may-not", "the role admin");
        assertThat(browser.count("tbody select, form")).isZero();
    }

    @Test
    void aTokenOfATenantSeesItsClientsOnly() {
        logIn(TENANT, "");
        browser().sees("#caller", "tenant t1");
        browser().sees("#found", "1 client");
        browser().sees("tbody tr", "kettle");
        assertThat(browser().find("nav").getText().lines())
                .containsExactly(
                        "Clients",
                        "Sessions",
                        "Subscriptions",
                        "Shared groups",
                        "Bans",
                        "Retained",
                        "Delayed",
                        "Publish",
                        "Events",
                        "Trace");
        assertThat(browser().count("#tenant")).isZero();
        browser().go(address("#/nodes"));
        browser().sees("h1", "Clients");
    }

    @Test
    @Tag("full")
    void refusalsOfANodeAreShown() {
        api.node.isStarting = true;
        logIn(VIEWER, "#/nodes");
        browser().sees("#notice", "the node starts");
        api.node.isStarting = false;
        browser().lookAgain();
        browser().seesNo("#notice");
        browser().sees("tbody tr", "10.0.0.1:1884");
    }

    /** Everything can be reached and done without a mouse, and each field has a name. */
    @Test
    @Tag("full")
    void eachControlHasANameAndTheKeyboardReachesIt() {
        Browser browser = browser();
        logIn(ADMIN, "");
        for (String page : PAGES) {
            turnTo(page);
            assertThat(browser.run("""
                            return [...document.querySelectorAll('button, input, select, a, [role=img], [role=region]')]
                              .filter(each => each.offsetParent !== null || each.matches('.skip'))
                              .filter(each => !(each.labels && each.labels.length) &&
                                !each.getAttribute('aria-label') && !each.textContent.trim())
                              .map(each => each.outerHTML)"""))
                    .as("controls of %s without a name", page)
                    .isEqualTo(List.of());
            assertThat(browser.run("return [...document.querySelectorAll('[tabindex]')].map(each => each.tabIndex)"
                            + ".filter(each => each > 0).length"))
                    .isEqualTo(0L);
            assertThat(browser.run("return document.querySelectorAll('h1').length"))
                    .isEqualTo(1L);
            assertThat(browser.run("return document.activeElement.id")).isEqualTo("title");
            assertThat(browser.find("nav a[aria-current=page]").getText()).isNotEmpty();
            WebElement body = browser.find("body");
            body.sendKeys(Keys.TAB);
            assertThat(browser.run(
                            "return document.activeElement.matches('a, button, input, select, summary, [tabindex]')"))
                    .isEqualTo(true);
        }
    }

    private void turnTo(String page) {
        browser().run("location.hash = arguments[0]", "#/" + page);
        browser().find("nav a[data-page=" + page.replaceAll("[/?].*", "") + "][aria-current=page]");
        String sign = switch (page.replaceAll("[/?].*", "")) {
            case "overview" -> "#tile-connections dd";
            case "publish" -> "#topic";
            case "sessions" -> page.contains("/") ? ".fields dd" : "tbody tr";
            case "retained" -> page.contains("/") ? "#payload" : "tbody tr";
            case "ranges" -> "#store-inbox .bar";
            case "clients" -> page.contains("/") ? "#client-state" : "tbody tr";
            case "events" -> "#live-state";
            case "trace" -> "#start";
            default -> "tbody tr";
        };
        browser().find(sign);
        browser().sees(sign, page.equals("overview") ? "23,500" : "");
    }

    /** Text has enough contrast with its background by WCAG, and nothing is wider than the screen. */
    @Test
    @Tag("full")
    void eachPageIsReadableInLightAndDarkAndOnAPhone() throws Exception {
        Browser browser = browser();
        logIn(ADMIN, "");
        for (String page : PAGES) {
            String name = page.replaceAll("\\?.*", "").replaceAll("/.*", page.matches("[a-z]+/.*") ? "-one" : "");
            browser.width(1280);
            browser.scheme(false);
            turnTo(page);
            for (boolean isDark : List.of(false, true)) {
                browser.scheme(isDark);
                assertFits();
                assertThat(faintTexts()).as("%s dark=%s", page, isDark).isEqualTo(List.of());
                browser.picture(PICTURES.resolve(name + (isDark ? "-dark.png" : "-light.png")));
            }
            browser.width(390);
            assertFits();
            browser.picture(PICTURES.resolve(name + "-phone.png"));
        }
    }

    private static void assertFits() {
        assertThat(browser().run("return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .as("pixels outside the screen")
                .isEqualTo(0L);
    }

    private static Object faintTexts() {
        return browser().run("""
                const parts = text => (text.match(/[\\d.]+/g) ?? []).map(Number);
                const light = ([r, g, b]) => [r, g, b].map(each => each / 255)
                  .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
                  .reduce((sum, each, i) => sum + each * [0.2126, 0.7152, 0.0722][i], 0);
                const behind = element => {
                  for (let each = element; each; each = each.parentElement) {
                    const found = parts(getComputedStyle(each).backgroundColor);
                    if (found.length === 3 || found[3] > 0) return found;
                  }
                  return [255, 255, 255];
                };
                return [...document.querySelectorAll('body *')]
                  .filter(each => each.offsetParent !== null && !each.disabled && !each.matches('.unseen, .skip') &&
                    [...each.childNodes].some(node => node.nodeType === 3 && node.textContent.trim() !== ''))
                  .filter(each => {
                    const [one, other] = [light(parts(getComputedStyle(each).color)), light(behind(each))]
                      .sort((a, b) => b - a);
                    return (one + 0.05) / (other + 0.05) < 4.5;
                  })
                  .map(each => each.outerHTML.slice(0, 200))""");
    }

    /** The page sends requests only to this node, and anything that the policy forbids does not run. */
    @Test
    void thePolicyHolds() throws Exception {
        logIn(VIEWER, "#/overview");
        browser().sees("#tile-connections dd", "23,500");
        assertThat(browser()
                        .run("return performance.getEntriesByType('resource').map(each => each.name)"
                                + ".filter(each => !each.startsWith(location.origin + '/'))"))
                .isEqualTo(List.of());
        ApiFixture.Got page = api.get("/");
        assertThat(page.header("Content-Security-Policy"))
                .contains("default-src 'none'", "script-src 'self'", "style-src 'self'", "require-trusted-types-for")
                .doesNotContain("unsafe", "data:", "*", "http");
        assertThat(page.header("Set-Cookie")).isEmpty();
        assertThat(page.text()).doesNotContainPattern("(?i)style=|onload|<style|<script>|javascript:");
        assertThat(api.get("/dashboard/main.js").status()).isEqualTo(200);
        assertThat(api.get("/dashboard/none.js").status()).isEqualTo(404);
        assertThat(api.get("/dashboard/..%2Fopenapi.yaml").status()).isEqualTo(404);
        assertThat(api.get("/dashboard/page.html").status()).isEqualTo(404);
        assertThat(dashboard.errors()).isEmpty();
        browser()
                .run("document.querySelectorAll('#said').forEach(each => { "
                        + "const made = document.createElement('div'); made.setAttribute('style', 'color: red'); "
                        + "try { made.innerHTML = '<b>x</b>'; document.title = 'unsafe' } catch (e) { } })");
        assertThat(browser().driver().getTitle()).isEqualTo("Overview - Godwit");
        browser().driver().manage().logs().get("browser"); // what this test provoked
    }
}
