package io.godwit.broker.settings.listener;

import io.godwit.broker.config.key.Check;
import io.godwit.broker.config.key.ConfigKey;
import io.godwit.mqtt.transport.config.AllowedOrigins;
import java.util.List;

/** The additional keys of a WebSocket listener. */
public record WebSocketKeys(
        @ConfigKey(
                value = "/mqtt",
                check = WebSocketKeys.WebSocketPath.class,
                text = "The path of the request that opens the WebSocket.")
        String wsPath,

        @ConfigKey(check = WebSocketKeys.Origin.class, text = """
                    The web pages that may connect, by their origin as browsers name it: https://app.example.org,
                    http://10.0.0.1:3000; any for all. Others are refused (HTTP 403), and clients that are no
                    browser let in. Empty: all pages when authConfig names a provider other than allow-all; else
                    those of the same IP address, of localhost to a loopback address, and over TLS of the same host
                    name.
                    """)
        List<String> allowedOrigins) {
    /** A value of {@link #allowedOrigins} for every page. */
    public static final String ANY_ORIGIN = "any";

    /** The path of an HTTP request. */
    static final class WebSocketPath implements Check {
        @Override
        public String checked(String text) {
            if (!text.startsWith("/") || text.indexOf('?') >= 0 || text.indexOf('#') >= 0) {
                throw new IllegalArgumentException("must begin with / and have no ? or #");
            }
            return text;
        }
    }

    /** The origin of a web page, or {@link #ANY_ORIGIN}. */
    static final class Origin implements Check {
        @Override
        public String checked(String text) {
            return text.equals(ANY_ORIGIN) ? text : AllowedOrigins.origin(text);
        }
    }
}
