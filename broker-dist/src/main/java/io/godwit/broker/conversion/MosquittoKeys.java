package io.godwit.broker.conversion;

import java.util.Map;
import java.util.Set;

/** Classifies the keys of {@code mosquitto.conf}, and explains why some have no counterpart. */
final class MosquittoKeys {
    /**
     * In addition to those that begin with {@code bridge_}, {@code local_}, {@code remote_} and {@code notification}.
     */
    private static final Set<String> OF_BRIDGES = Set.of(
            "address",
            "addresses",
            "cleansession",
            "clientid",
            "connection",
            "idle_timeout",
            "keepalive_interval",
            "restart_timeout",
            "round_robin",
            "start_type",
            "threshold",
            "topic",
            "try_private");

    private static final Set<String> OF_TLS = Set.of(
            "cafile",
            "capath",
            "certfile",
            "ciphers",
            "ciphers_tls1.3",
            "crlfile",
            "dhparamfile",
            "keyfile",
            "require_certificate",
            "tls_engine",
            "tls_engine_kpass_sha1",
            "tls_keyform",
            "tls_version");

    private static final Set<String> OF_LISTENERS = Set.of(
            "accept_protocol_versions",
            "bind_interface",
            "disable_client_cert_date_checks",
            "enable_proxy_protocol",
            "http_dir",
            "max_connections",
            "max_qos",
            "max_topic_alias",
            "max_topic_alias_broker",
            "mount_point",
            "protocol",
            "psk_hint",
            "socket_domain",
            "use_identity_as_username",
            "use_subject_as_username",
            "use_username_as_clientid",
            "websockets_headers_size",
            "websockets_log_level",
            "websockets_origin");

    private static final Map<String, String> WHY_NOT = Map.ofEntries(
            Map.entry("allow_duplicate_messages", "a client with overlapping filters gets one copy of a message"),
            Map.entry("allow_zero_length_clientid", "a client without an id is given one, as the protocol says"),
            Map.entry("auth_plugin", "plugins are written against plugin-api: docs/plugins.md"),
            Map.entry("auto_id_prefix", "ids that the broker gives have no prefix"),
            Map.entry("autosave_interval", "what is acknowledged is on disk"),
            Map.entry("autosave_on_changes", "what is acknowledged is on disk"),
            Map.entry("bind_interface", "name the address of the interface as the listener's host"),
            Map.entry("capath", "sslConfig.trustCertsFile is one file: put the certificates into it"),
            Map.entry("check_retain_source", "the rules of an aclFile say who may read what"),
            Map.entry("ciphers", "sslConfig.ciphers has other names, such as TLS_AES_128_GCM_SHA256"),
            Map.entry("ciphers_tls1.3", "sslConfig.ciphers has other names, such as TLS_AES_128_GCM_SHA256"),
            Map.entry("clientid_prefixes", "rules of an aclFile may be about client ids"),
            Map.entry("connection_messages", "conf/logback.xml says what is logged"),
            Map.entry("disable_client_cert_date_checks", "a certificate that has expired is refused"),
            Map.entry("enable_proxy_protocol", "proxyProtocol of the listener has to name the proxies (from)"),
            Map.entry("global_plugin", "plugins are written against plugin-api: docs/plugins.md"),
            Map.entry("http_dir", "nothing but MQTT is served on a listener"),
            Map.entry("include_dir", "included files are not read: convert each by itself"),
            Map.entry("max_inflight_bytes", "see mqttServerConfig.sendMaximum"),
            Map.entry("max_keepalive", "mqttServerConfig.serverKeepAliveSeconds imposes one"),
            Map.entry("max_topic_alias_broker", "a client says how many aliases it takes"),
            Map.entry("password_file", "see authConfig.file"),
            Map.entry("plugin", "plugins are written against plugin-api: docs/plugins.md"),
            Map.entry("psk_file", "there are no pre-shared keys"),
            Map.entry("socket_domain", "name an address as the listener's host"));

    private MosquittoKeys() {}

    static boolean isOfBridge(String key) {
        return OF_BRIDGES.contains(key)
                || key.startsWith("bridge_")
                || key.startsWith("local_")
                || key.startsWith("remote_")
                || key.startsWith("notification");
    }

    static boolean isOfTls(String key) {
        return OF_TLS.contains(key);
    }

    static boolean isOfListener(String key) {
        return OF_LISTENERS.contains(key) || OF_TLS.contains(key);
    }

    static String whyNot(String key) {
        if (key.startsWith("log_") || key.startsWith("websockets_log")) {
            return "conf/logback.xml says what is logged";
        }
        if (key.startsWith("plugin_opt_") || key.startsWith("auth_opt_")) {
            return "plugins are written against plugin-api: docs/plugins.md";
        }
        return WHY_NOT.getOrDefault(key, "there is no such setting here");
    }
}
