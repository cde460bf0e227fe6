package io.godwit.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.TokenFile.Entry;
import io.godwit.api.auth.TokenText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;

/**
 * The dashboard over a broker in memory, with a token of each role, in the browser of {@link OneBrowser}. Each has an
 * origin of its own, so the browser knows no token of an earlier one.
 */
final class Dashboard implements AutoCloseable {
    private static final SecureRandom RANDOM = new SecureRandom();
    static final String VIEWER = TokenText.make(RANDOM);
    static final String OPERATOR = TokenText.make(RANDOM);
    static final String ADMIN = TokenText.make(RANDOM);
    /** The token of an operator of the tenant t1. */
    static final String TENANT = TokenText.make(RANDOM);

    /** A client id, a topic or a payload that means harm to who looks at it. */
    static final String HOSTILE = "<img src=x onerror=\"window.hacked=1;document.title='hacked'\">\u202e";

    /** As it is shown. */
    static final String HARMLESS = HOSTILE.replace("\u202e", "\\u{202e}");

    final Path tokens;
    final ApiFixture api;
    private final Browser browser = OneBrowser.browser();
    private final int earlierErrors = browser.errors().size();

    /** @param directory for the file of tokens */
    Dashboard(Path directory) throws Exception {
        tokens = directory.resolve("tokens");
        Files.writeString(
                tokens,
                TokenFile.parse("")
                        .with(Entry.ofToken("vic", Role.VIEWER, "", VIEWER))
                        .with(Entry.ofToken("ola", Role.OPERATOR, "", OPERATOR))
                        .with(Entry.ofToken("ada", Role.ADMIN, "", ADMIN))
                        .with(Entry.ofToken("ten", Role.OPERATOR, "t1", TENANT))
                        .text());
        api = ApiFixture.withTokens(tokens);
        browser.scheme(false);
        browser.width(1280);
    }

    /** @param page such as {@code #/clients} */
    String address(String page) {
        return "http://127.0.0.1:" + api.port() + "/" + page;
    }

    /** Opens a page as the login form would, which has its own tests. */
    void logIn(String token, String page) {
        browser.driver().get(address("dashboard/icon.svg"));
        browser.run("sessionStorage.setItem('godwit.token', arguments[0])", token);
        browser.driver().get(address(page));
        browser.find("#caller");
    }

    /** Errors that the browser has reported. */
    List<String> errors() {
        List<String> errors = browser.errors();
        return errors.subList(earlierErrors, errors.size());
    }

    /** Ends without a complaint of the browser, and without anything that a text has run. */
    @Override
    public void close() {
        api.close();
        assertThat(browser.run("return window.hacked ?? 0")).isEqualTo(0L);
        assertThat(errors()).as("errors of the browser").isEmpty();
    }
}
