package io.godwit.broker.settings;

import io.godwit.broker.config.Key;
import java.util.List;

/** The additional keys of a WebSocket listener. */
public record WebSocketKeys(
        @Key(
                value = "/mqtt",
                check = ListenerChecks.WebSocketPath.class,
                text = "The path of the request that opens the WebSocket.")
        String wsPath,

        @Key(check = ListenerChecks.Origin.class, text = """
                    The web pages that may connect, by their origin as browsers name it: https://app.example.org,
                    http://10.0.0.1:3000; any for all. Others are refused (HTTP 403), and clients that are no
                    browser let in. Empty: all pages when authConfig names a provider other than allow-all; else
                    those of the same IP address, of localhost to a loopback address, and over TLS of the same host
                    name.
                    """)
        List<String> allowedOrigins) {
    /** A value of {@link #allowedOrigins} for every page. */
    public static final String ANY_ORIGIN = "any";
}
