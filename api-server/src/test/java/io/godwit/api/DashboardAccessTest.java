package io.godwit.api;

import static io.godwit.api.Dashboard.ADMIN;
import static io.godwit.api.Dashboard.HARMLESS;
import static io.godwit.api.Dashboard.HOSTILE;
import static io.godwit.api.Dashboard.OPERATOR;
import static io.godwit.api.Dashboard.TENANT;
import static io.godwit.api.Dashboard.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.port.access.BanAdmin.Ban;
import io.godwit.api.port.access.BanAdmin.Kind;
import io.godwit.api.port.access.UserAdmin.Rules;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The pages of bans, tokens, users and configuration in a real browser, over a broker in memory. */
@Tag("slow")
@ExtendWith(OneBrowser.class)
class DashboardAccessTest {
    @TempDir
    private Path directory;

    private Dashboard dashboard;
    private FakeNode node;

    private static Browser browser() {
        return OneBrowser.browser();
    }

    @BeforeEach
    void openDashboard() throws Exception {
        dashboard = new Dashboard(directory);
        node = dashboard.api.node;
    }

    @AfterEach
    void closeDashboard() {
        dashboard.close();
    }

    private static void type(String css, CharSequence... keys) {
        browser().find(css).clear();
        browser().find(css).sendKeys(keys);
    }

    @Test
    void anOperatorBansAndLifts() {
        node.records.bans.put("b1", new Ban("b1", "t1", Kind.USER, HOSTILE, -1, HOSTILE, "ola", FakeRecords.START));
        dashboard.logIn(VIEWER, "#/bans");
        browser().sees("tbody tr", HARMLESS);
        browser().sees("tbody tr", "never");
        browser().sees("#may-not", "To ban needs the role operator.");
        assertThat(browser().count("tbody button, #ban")).isZero();

        dashboard.logIn(OPERATOR, "#/bans?kind=client&subject=lamp&tenant=t2");
        type("#minutes", "10");
        type("#reason", "floods", Keys.ENTER);
        browser().sees("#done", "Banned: lamp");
        browser().sees("#found", "2 bans");
        assertThat(node.records.bans.values())
                .anySatisfy(ban -> assertThat(List.of(ban.tenant(), ban.kind(), ban.subject(), ban.reason(), ban.by()))
                        .containsExactly("t2", Kind.CLIENT, "lamp", "floods", "ola"))
                .anySatisfy(ban -> assertThat(ban.untilMillis()).isEqualTo(FakeRecords.START + 600_000));
        browser().find("#kind").sendKeys("Address");
        type("#subject", "nowhere!", Keys.ENTER);
        browser().sees("#notice", "must be an address");
        browser().find("button[aria-label='Lift lamp']").click();
        browser().sees("dialog", "lamp");
        browser().find("#dialog-yes").click();
        browser().sees("#done", "Lifted.");
        browser().sees("#found", "1 ban");
        assertThat(node.records.bans).containsOnlyKeys("b1");
        dashboard.logIn(TENANT, "#/bans");
        browser().find("#kind");
        assertThat(browser().text()).doesNotContain("Address or block");
    }

    @Test
    void bansThatNodesMakeAreToldFromThoseOfOperators() {
        node.records.bans.put("b1", new Ban("b1", "t1", Kind.USER, "ann", -1, "floods", "ola", FakeRecords.START));
        node.records.ban(FakeNode.ID, "auto-f-00000000c0000207", "192.0.2.7", "failed logins");
        node.records.ban("gone-node", "auto-f-00000000c0000207", "192.0.2.7", "failed logins");
        node.records.missing = List.of("node-x");
        dashboard.logIn(OPERATOR, "#/bans");
        browser().sees("#found", "3 bans; no answer from node-x, whose bans are missing");
        browser().sees("tbody", "node gone-nod");
        browser().sees("tbody", "failed logins");
        browser().find("#made").sendKeys("operators");
        browser().find("#made").submit();
        browser().sees("#found", "1 ban;");
        browser().find("#made").sendKeys("nodes");
        browser().find("#made").submit();
        browser().sees("#found", "2 bans;");
        node.records.missing = List.of();
        browser().find("button[aria-label='Lift 192.0.2.7']").click();
        browser().sees("dialog", "On all nodes that have it.");
        browser().find("#dialog-yes").click();
        browser().sees("#done", "Lifted.");
        browser().sees("#found", "0 bans");
        assertThat(node.records.automatic).isEmpty();
        assertThat(node.records.bans).hasSize(1);
    }

    @Test
    void aTokenIsShownOnceAndRemoved() throws Exception {
        dashboard.logIn(OPERATOR, "#/tokens");
        browser().sees("#may-not", "To see tokens needs the role admin.");
        assertThat(browser().count("main form, nav a[data-page=tokens]")).isZero();

        dashboard.logIn(ADMIN, "#/tokens");
        browser().sees("tbody tr:first-child", "in the file of the node");
        assertThat(browser().count("tbody button")).isZero();
        type("#name", "board");
        browser().find("#role").sendKeys("operator");
        type("#days", "2", Keys.ENTER);
        browser().sees("#fresh h2", "The new token of board");
        String token = String.valueOf(browser().run("return document.getElementById('fresh-token').value"));
        assertThat(browser().run("return document.activeElement.id")).isEqualTo("fresh-token");
        browser().sees("#found", "5 tokens");
        assertThat(dashboard
                        .api
                        .get("/api/v1/me", "Authorization", "Bearer " + token)
                        .json()
                        .getString("role"))
                .isEqualTo("operator");
        browser().find("#put-away").click();
        assertThat(browser().count("#fresh-token")).isZero();
        assertThat(browser().run("return document.documentElement.outerHTML").toString())
                .doesNotContain(token);
        type("#name", "board", Keys.ENTER);
        browser().sees("#notice", "board");
        browser().find("button[aria-label='Remove board']").sendKeys(Keys.ENTER);
        browser().sees("dialog", "board");
        browser().find("#dialog-yes").click();
        browser().sees("#done", "Removed.");
        browser().sees("#found", "4 tokens");
        assertThat(dashboard
                        .api
                        .get("/api/v1/me", "Authorization", "Bearer " + token)
                        .status())
                .isEqualTo(401);
    }

    @Test
    void usersAreSetAndRemoved() {
        dashboard.logIn(VIEWER, "#/users");
        browser().sees("tbody tr", "root");
        browser().sees("#rules-file", "allow all user root #");
        browser().sees("#may-not", "the role admin");
        assertThat(browser().count("tbody button, main form")).isZero();

        dashboard.logIn(ADMIN, "#/users");
        type("#name", "a/n n");
        type("#password", "secret");
        browser().find("#hash").sendKeys("scram");
        browser().find("#set-user").click();
        browser().sees("#done", "a/n n is made.");
        assertThat(node.users.passwords).containsEntry("a/n n", "secret");
        assertThat(browser().run("return document.getElementById('password').value"))
                .isEqualTo("");
        browser().sees("#found", "2 users");
        type("#name", "root");
        type("#password", "secret", Keys.ENTER);
        browser().sees("#notice", "root is of the file");
        browser().find("button[aria-label='Remove a/n n']").click();
        browser().sees("dialog", "a/n n");
        browser().find("#dialog-yes").click();
        browser().sees("#done", "Removed.");
        assertThat(node.users.shared).isEmpty();
    }

    @Test
    void rulesAreSetUnlessSomebodyElseWas() {
        dashboard.logIn(ADMIN, "#/users");
        browser().sees("#rules-file", "allow all user root #");
        type("#rules", "allow all user ann a/#\n\ndeny all all #");
        browser().find("#set-rules").click();
        browser().sees("#done", "The rules are in force");
        assertThat(node.users.rules.shared()).containsExactly("allow all user ann a/#", "deny all all #");
        browser().sees("#rules-by", "Set by ada");
        type("#rules", "allow");
        browser().find("#set-rules").click();
        browser().sees("#notice", "line 1: ends");
        node.users.rules = new Rules(List.of(), List.of("deny all all b"), "bob", FakeRecords.START, "b0b");
        type("#rules", "allow all all c");
        browser().find("#set-rules").click();
        browser().sees("#notice", "Somebody else has set the rules");
        assertThat(node.users.rules.shared()).containsExactly("deny all all b");
        assertThat(browser().run("return document.getElementById('rules').value"))
                .isEqualTo("allow all all c");
    }

    @Test
    void theConfigurationIsSearched() {
        dashboard.logIn(VIEWER, "#/configuration");
        browser().sees("#may-not", "To see the configuration needs the role operator.");
        node.settings.missing = List.of("node-x");
        dashboard.logIn(OPERATOR, "#/configuration");
        browser().sees("#found", "3 values; nodes differ in 1 key; no answer from node-x, whose values are missing");
        browser().sees("tbody tr", "environment, environment variable X");
        browser().sees("tbody tr:last-child", "all 2");
        browser().find("#given").sendKeys(Keys.SPACE);
        browser().sees("#found", "4 values");
        browser().sees("tbody tr:first-child", "bootstrap");
        type("#text", "10.0.0.2");
        browser().sees("#found", "1 value;");
        browser().sees("tbody tr", "clusterConfig.host");
        browser().sees("tbody tr", "file, line 7");
        browser().sees("tbody tr", FakeNode.OTHER);
        type("#text", "nothing");
        browser().sees(".empty", "None.");
        browser().find("#text").clear();
        browser().find("#text").sendKeys(" ", Keys.BACK_SPACE);
        browser().find("#different").sendKeys(Keys.SPACE);
        browser().sees("#found", "2 values");
    }
}
