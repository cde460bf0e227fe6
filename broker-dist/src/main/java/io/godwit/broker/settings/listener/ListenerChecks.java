package io.godwit.broker.settings.listener;

import io.godwit.broker.config.key.Check;
import io.godwit.mqtt.transport.tls.TlsConfig;
import io.godwit.plugin.topic.TopicName;

/** Checks of texts in listeners. */
public final class ListenerChecks {
    private ListenerChecks() {}

    /** A version of TLS. */
    static final class Protocol implements Check {
        @Override
        public String checked(String text) {
            if (!TlsConfig.PROTOCOLS.contains(text)) {
                throw new IllegalArgumentException("must be out of " + String.join(", ", TlsConfig.PROTOCOLS));
            }
            return text;
        }
    }

    /** The prefix of a client's topics. */
    static final class MountPoint implements Check {
        @Override
        public String checked(String text) {
            // without the final '/' one mount point could be a prefix of another, and "#" after it would be no filter
            if (!TopicName.isValid(text) || text.startsWith("$") || !text.endsWith("/")) {
                throw new IllegalArgumentException(
                        "must be the beginning of a topic that ends with /, has no + or #, and does not start with $");
            }
            return text;
        }
    }

    /** The server reference for redirected clients [MQTT5-4.11]: servers separated by blanks. */
    public static final class ServerReference implements Check {
        private static final int MAX_CHARS = 1_000;

        @Override
        public String checked(String text) {
            boolean isPlain = text.chars().allMatch(each -> each >= ' ' && each <= '~');
            if (!isPlain || text.isBlank() || text.length() > MAX_CHARS) {
                throw new IllegalArgumentException(
                        "must be names of servers with blanks between them, of at most " + MAX_CHARS + " characters");
            }
            return text;
        }
    }
}
