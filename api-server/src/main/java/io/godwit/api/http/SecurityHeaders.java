package io.godwit.api.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;

/** Response headers that restrict browsers. */
public final class SecurityHeaders {
    /** For data: a browser that displays it loads and runs nothing. */
    public static final String DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

    /** For the page of the document. Its style sheet has images as data: URLs. */
    public static final String PAGE_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                    + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

    private SecurityHeaders() {}

    /**
     * For the dashboard: its own files, the API and the node's WebSockets, nothing else. The browser also refuses every
     * operation that could turn a text into elements.
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
