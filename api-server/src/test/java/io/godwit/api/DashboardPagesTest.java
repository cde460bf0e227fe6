package io.godwit.api;

import static io.godwit.api.Dashboard.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** Each page of the dashboard, in a real browser, can be read and used by everybody. */
@Tag("slow")
@ExtendWith(OneBrowser.class)
class DashboardPagesTest extends DashboardFixture {
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
}
