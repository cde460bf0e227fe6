package io.godwit.broker;

import io.godwit.mqtt.transport.AddressRange;
import io.godwit.mqtt.transport.AllowedOrigins;
import io.godwit.mqtt.transport.tls.TlsConfig;
import io.godwit.mqtt.transport.tls.TlsConfig.ClientCertificate;
import io.godwit.mqtt.transport.tls.TlsConfig.Engine;
import io.godwit.mqtt.transport.tls.TlsConfig.UserName;
import io.godwit.plugin.topic.TopicName;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The keys of a listener, relative to its section; {@link ListenerKind} tells which kind has which. */
final class ListenerSettings {
    static final Setting<Boolean> ENABLE = Setting.flag("enable", true);
    static final Setting<String> HOST = Setting.text("host", "");

    static final Setting<Boolean> PROXY_ENABLE = Setting.flag("proxyProtocol.enable", false);
    static final Setting<List<AddressRange>> PROXY_FROM =
            Setting.list("proxyProtocol.from", List.of(), AddressRange::parse);
    static final List<Setting<?>> PROXY_PROTOCOL = List.of(PROXY_ENABLE, PROXY_FROM);

    /** Files are named relative to the configuration file's directory; empty for none. */
    static final Setting<String> CERT_FILE = Setting.text("sslConfig.certFile", "");

    static final Setting<String> KEY_FILE = Setting.text("sslConfig.keyFile", "");
    static final Setting<String> TRUST_CERTS_FILE = Setting.text("sslConfig.trustCertsFile", "");
    static final Setting<ClientCertificate> CLIENT_AUTH =
            Setting.choice("sslConfig.clientAuth", ClientCertificate.NONE, ClientCertificate.class);
    static final Setting<String> CRL_FILE = Setting.text("sslConfig.crlFile", "");
    static final Setting<List<String>> PROTOCOLS =
            Setting.list("sslConfig.protocols", TlsConfig.PROTOCOLS, ListenerSettings::protocol);
    static final Setting<List<String>> CIPHERS = Setting.list("sslConfig.ciphers", List.of(), Function.identity());
    static final Setting<UserName> USER_NAME = Setting.choice("sslConfig.userName", UserName.NONE, UserName.class);
    static final Setting<Engine> PROVIDER = Setting.choice("sslConfig.provider", Engine.AUTO, Engine.class);
    static final List<Setting<?>> SSL = List.of(
            CERT_FILE, KEY_FILE, TRUST_CERTS_FILE, CLIENT_AUTH, CRL_FILE, PROTOCOLS, CIPHERS, USER_NAME, PROVIDER);

    static final Setting<String> MOUNT_POINT = new Setting<>("mountPoint", "", ListenerSettings::mountPoint);

    static final Setting<String> WS_PATH = new Setting<>("wsPath", "/mqtt", ListenerSettings::path);

    static final String ANY_ORIGIN = "any";
    static final Setting<List<String>> ALLOWED_ORIGINS =
            Setting.list("allowedOrigins", List.of(), ListenerSettings::origin);

    /** What a listener may have a value of its own for, under the last part of the key. */
    private static final List<Setting<?>> NODE_WIDE = List.of(
            FileSettings.MAX_PACKET_BYTES,
            FileSettings.MAX_CONN_BANDWIDTH,
            FileSettings.MAX_PUBLISH_RATE,
            FileSettings.CONNECT_TIMEOUT_SECONDS,
            FileSettings.MAX_CONNECTIONS,
            FileSettings.MAX_CONNECTIONS_PER_SOURCE,
            FileSettings.CONNECT_RATE,
            FileSettings.CONNECT_RATE_PER_SOURCE,
            FileSettings.SHARED_STRATEGY);

    static final List<Setting<?>> OWN =
            NODE_WIDE.stream().<Setting<?>>map(ListenerSettings::own).toList();

    private ListenerSettings() {}

    private static String protocol(String name) {
        if (!TlsConfig.PROTOCOLS.contains(name)) {
            throw new IllegalArgumentException("must be out of " + String.join(", ", TlsConfig.PROTOCOLS));
        }
        return name;
    }

    private static String mountPoint(String text) {
        // without the '/' one client's place could begin like another's, and "#" below it would be no filter
        if (!TopicName.isValid(text) || text.startsWith("$") || !text.endsWith("/")) {
            throw new IllegalArgumentException(
                    "must be the beginning of a topic that ends with /, without +, # and a $ in front");
        }
        return text;
    }

    private static String path(String text) {
        if (!text.startsWith("/") || text.indexOf('?') >= 0 || text.indexOf('#') >= 0) {
            throw new IllegalArgumentException("must begin with / and have no ? or #");
        }
        return text;
    }

    private static String origin(String text) {
        return text.equals(ANY_ORIGIN) ? text : AllowedOrigins.origin(text);
    }

    private static <T> Setting<T> own(Setting<T> nodeWide) {
        return new Setting<>(nodeWide.leaf(), nodeWide.defaultValue(), nodeWide.parser());
    }

    /**
     * The setting whose value a listener has that gives none for {@code key}; null when that is the listener's own
     * default.
     */
    static @Nullable Setting<?> nodeWide(String key) {
        return NODE_WIDE.stream()
                .filter(setting -> setting.leaf().equals(key))
                .findFirst()
                .orElse(null);
    }
}
