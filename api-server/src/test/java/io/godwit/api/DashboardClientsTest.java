package io.godwit.api;

import static io.godwit.api.Dashboard.OPERATOR;
import static io.godwit.api.Dashboard.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;

/** Clients in a real browser: who finds them, who may disconnect them, and client ids that mean harm. */
@Tag("slow")
@ExtendWith(OneBrowser.class)
class DashboardClientsTest extends DashboardFixture {
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
}
