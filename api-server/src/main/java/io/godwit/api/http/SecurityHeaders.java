package io.godwit.api.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;

/** What browsers are told, and what is asked of theirs. */
public final class SecurityHeaders {
    /** For answers that are data: a browser that shows one loads and runs nothing. */
    public static final String DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

    /** For the page of the document. Images as data: URLs are in the style sheet. */
    public static final String PAGE_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                    + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

    private SecurityHeaders() {}

    /**
     * For the dashboard: its own files, the API and the node's WebSockets, nothing else. Scripts cannot turn a text
     * into elements: all that could do so is refused by the browser.
     *
     * @param webSockets their origins, such as {@code wss://host:8443}
     */
    public static String dashboardPolicy(List<String> webSockets) {
        StringBuilder connect = new StringBuilder("connect-src 'self'");
        webSockets.forEach(origin -> connect.append(' ').append(origin));
        return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " + connect
                + "; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; "
                + "require-trusted-types-for 'script'; trusted-types 'none'";
    }

    public static void add(HttpServerRequest request) {
        MultiMap headers = request.response().headers();
        headers.set("Content-Security-Policy", DATA_POLICY)
                .set("X-Content-Type-Options", "nosniff")
                .set("X-Frame-Options", "DENY")
                .set("Referrer-Policy", "no-referrer")
                .set("Cross-Origin-Resource-Policy", "same-origin")
                .set("Cross-Origin-Opener-Policy", "same-origin")
                .set("Cache-Control", "no-store");
        if (request.isSSL()) {
            headers.set("Strict-Transport-Security", "max-age=31536000");
        }
    }
}
