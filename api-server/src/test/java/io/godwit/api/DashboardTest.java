package io.godwit.api;

import static io.godwit.api.Dashboard.ADMIN;
import static io.godwit.api.Dashboard.OPERATOR;
import static io.godwit.api.Dashboard.TENANT;
import static io.godwit.api.Dashboard.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.auth.TokenFile;
import io.godwit.api.port.cluster.HealthView;
import io.godwit.api.port.cluster.LogLevels;
import io.godwit.api.port.cluster.NodeView;
import io.godwit.api.port.cluster.RangeView;
import io.godwit.api.port.figure.NodeHistory;
import io.godwit.api.port.figure.NodeHistory.Sample;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;

/** Login, figures, nodes, ranges and settings in a real browser. Each test ends without a complaint of the browser. */
@Tag("slow")
@ExtendWith(OneBrowser.class)
class DashboardTest extends DashboardFixture {
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
