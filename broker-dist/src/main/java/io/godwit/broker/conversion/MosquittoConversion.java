package io.godwit.broker.conversion;

import io.godwit.broker.conversion.Note.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Converts {@code mosquitto.conf} to ours: {@link #convert} reads the lines into settings of the broker and of its
 * listeners, then creates each listener, then settings of the tenant, users and rules. Access is never less restricted
 * than before: where a restriction cannot be converted, the listener is switched off or binds to loopback. For one
 * thread.
 */
final class MosquittoConversion {
    private static final String LISTENER_OFF = "the listener is switched off: ";
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})([hdwmy])");
    private static final Map<String, Long> SECONDS =
            Map.of("h", 3_600L, "d", 86_400L, "w", 7 * 86_400L, "m", 30 * 86_400L, "y", 365 * 86_400L);

    private final Path file;
    private final Path to;
    private final Target target = new Target();
    private final MosquittoTenant tenant = new MosquittoTenant(target);
    /** The settings of the broker, by key; the last occurrence of a key counts. */
    private final Map<String, Setting> whole = new LinkedHashMap<>();

    private final List<Listener> listeners = new ArrayList<>();
    private boolean isInBridge;

    /** @param to the directory for the result */
    MosquittoConversion(Path file, Path to) {
        this.file = file;
        this.to = to;
    }

    private record Setting(int line, String value) {}

    /** @param line of the keyword {@code listener}; 0 for the default listener */
    private record Listener(int line, String port, String bind, Map<String, Setting> settings) {
        @Nullable
        Setting get(String key) {
            return settings.get(key);
        }

        boolean isTrue(String key) {
            Setting found = settings.get(key);
            return found != null && found.value().equals("true");
        }
    }

    Converted convert(String text) throws ConversionException {
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            String stripped = line.strip();
            if (!stripped.isEmpty() && !stripped.startsWith("#")) {
                line(number, stripped);
            }
        }
        whole.forEach((key, setting) -> settingOfAll(key, setting));
        listeners();
        access();
        return target.converted(Target.header("mosquitto's " + file.getFileName()));
    }

    private void line(int number, String line) throws ConversionException {
        String[] words = line.split("\\s+", 2);
        String key = words[0];
        String value = words.length == 1 ? "" : words[1];
        if (!key.matches("[A-Za-z0-9_.]{1,64}")) {
            throw new ConversionException(file + ": line " + number + ": is no line of mosquitto.conf");
        }
        if (key.equals("connection")) {
            isInBridge = true;
        } else if (key.equals("listener")) {
            isInBridge = false;
            String[] parts = value.split("\\s+", 2);
            listeners.add(new Listener(number, parts[0], parts.length == 1 ? "" : parts[1], new LinkedHashMap<>()));
            return;
        }
        if (isInBridge || MosquittoKeys.isOfBridge(key)) {
            target.leaveOut(number, key, "there are no bridges here");
        } else if (MosquittoKeys.isOfListener(key)) {
            if (listeners.isEmpty()) {
                listeners.add(new Listener(0, "1883", "", new LinkedHashMap<>()));
            }
            listeners.get(listeners.size() - 1).settings().put(key, new Setting(number, value));
        } else {
            whole.put(key, new Setting(number, value));
        }
    }

    // ---- the broker as a whole

    private void settingOfAll(String key, Setting given) {
        int line = given.line();
        String value = given.value();
        switch (key) {
            case "allow_anonymous", "password_file", "acl_file", "per_listener_settings" -> {
                // see access()
            }
            case "port", "bind_address" -> {
                // see listeners()
            }
            case "max_inflight_messages" ->
                target.take(line, key, "mqttServerConfig.sendMaximum", value.equals("0") ? "65535" : value);
            case "max_packet_size" -> target.take(line, key, "mqttServerConfig.maxPacketBytes", value);
            case "message_size_limit" -> {
                if (value.equals("0")) {
                    target.take(line, key, "mqttServerConfig.maxPacketBytes", "268435455");
                } else {
                    target.change(
                            line, key, "mqttServerConfig.maxPacketBytes", value, "of the packet, not of the payload");
                }
            }
            case "max_queued_messages" ->
                target.take(line, key, "sessionConfig.maxQueuedMessages", value.equals("0") ? "1000000" : value);
            case "max_queued_bytes" -> {
                if (value.equals("0")) {
                    target.leaveOut(line, key, "queues are bounded here: sessionConfig.maxQueuedBytes");
                } else {
                    target.change(
                            line,
                            key,
                            "sessionConfig.maxQueuedBytes",
                            value,
                            "of sessions in memory; stored ones are bounded by sessionConfig.maxQueuedMessages");
                }
            }
            case "queue_qos0_messages" -> target.take(line, key, "sessionConfig.queueQos0", value);
            case "sys_interval" -> target.take(line, key, "topicConfig.sysIntervalSeconds", value);
            case "persistent_client_expiration" -> expiry(line, key, value);
            case "persistence" -> {
                if (value.equals("true")) {
                    target.note(line, key, Outcome.TAKEN, "what has to outlive a restart is always on disk");
                } else {
                    target.leaveOut(line, key, "what has to outlive a restart is always on disk");
                }
            }
            case "persistence_location", "persistence_file" ->
                target.leaveOut(line, key, "the data directory is named by bin/standalone.sh start --data DIR");
            case "pid_file" -> target.leaveOut(line, key, "godwit.pid is in the data directory");
            case "set_tcp_nodelay" -> target.note(line, key, Outcome.TAKEN, "always");
            case "upgrade_outgoing_qos" -> leaveOutTrue(line, key, value, "messages keep the lower QoS");
            case "retain_available" -> tenant.retainAvailable(line, key, value);
            case "memory_limit" -> target.leaveOut(line, key, "see memoryConfig.maxHeapPercent, and -Xmx in JVM_OPTS");
            case "user" -> target.leaveOut(line, key, "the broker runs as whoever starts it");
            default -> target.leaveOut(line, key, MosquittoKeys.whyNot(key));
        }
    }

    private void leaveOutTrue(int line, String key, String value, String text) {
        if (value.equals("true")) {
            target.leaveOut(line, key, text);
        } else {
            target.note(line, key, Outcome.TAKEN, text);
        }
    }

    private void expiry(int line, String key, String value) {
        Matcher parts = DURATION.matcher(value);
        if (parts.matches()) {
            long seconds = Long.parseLong(parts.group(1)) * SECONDS.getOrDefault(parts.group(2), 1L);
            target.take(line, key, "sessionConfig.maxExpirySeconds", Math.min(seconds, 0xFFFF_FFFFL));
        } else {
            target.leaveOut(line, key, "must be a number with h, d, w, m or y");
        }
    }

    // ---- listeners

    private void listeners() {
        Setting port = whole.get("port");
        Setting bind = whole.get("bind_address");
        Map<String, Setting> early = !listeners.isEmpty() && listeners.get(0).line() == 0
                ? listeners.remove(0).settings()
                : new LinkedHashMap<>();
        if (port == null && bind == null && !listeners.isEmpty()) {
            early.forEach((key, setting) -> target.leaveOut(setting.line(), key, "it does not belong to a listener"));
        } else {
            String host = bind != null ? bind.value() : port != null ? "" : "127.0.0.1"; // not given: loopback only
            listeners.add(
                    0,
                    new Listener(
                            port != null ? port.line() : bind != null ? bind.line() : 0,
                            port != null ? port.value() : "1883",
                            host,
                            early));
            if (port != null && bind != null) {
                target.note(bind.line(), "bind_address", Outcome.TAKEN, "the host of that listener");
            }
        }
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (Listener each : listeners) {
            String kind = kindOf(each);
            if (!kind.isEmpty()) {
                int index = counts.merge(kind, 1, Integer::sum) - 1;
                listener(each, "mqttServerConfig." + kind + "[" + index + "].", kind);
            }
        }
        tenant.write(counts.values().stream().mapToInt(Integer::intValue).sum());
        if (!counts.containsKey("tcpListener")) {
            target.set("mqttServerConfig.tcpListener[0].enable", false);
        }
    }

    /** Our kind of listener; empty if there is no counterpart. */
    private String kindOf(Listener listener) {
        Setting protocol = listener.get("protocol");
        boolean isWebSocket = protocol != null && protocol.value().equals("websockets");
        String why = "";
        if (protocol != null && !isWebSocket && !protocol.value().equals("mqtt")) {
            why = "there is no protocol " + protocol.value();
        } else if (listener.get("psk_hint") != null || listener.get("psk_file") != null) {
            why = "there are no pre-shared keys";
        } else if (listener.bind().startsWith("/")) {
            why = "there are no Unix sockets";
        }
        if (!why.isEmpty()) {
            String reason = "there is no such listener: " + why;
            target.leaveOut(listener.line(), "listener", reason);
            listener.settings().forEach((key, setting) -> target.leaveOut(setting.line(), key, reason));
            return "";
        }
        boolean hasTls = listener.settings().keySet().stream().anyMatch(MosquittoKeys::isOfTls);
        return isWebSocket ? hasTls ? "wssListener" : "wsListener" : hasTls ? "tlsListener" : "tcpListener";
    }

    private void listener(Listener listener, String at, String kind) {
        boolean hasTls = kind.equals("tlsListener") || kind.equals("wssListener");
        target.set(at + "enable", true);
        target.take(listener.line(), "listener", at + "port", listener.port());
        if (!listener.bind().isEmpty()) {
            target.take(listener.line(), "listener", at + "host", listener.bind());
        }
        listener.settings().forEach((key, setting) -> settingOf(listener, key, setting, at, kind));
        if (hasTls) {
            tls(listener, at);
        }
        if (kind.startsWith("ws")) { // mosquitto serves any path
            target.set(at + "wsPath", "/mqtt");
            target.note(listener.line(), "listener", Outcome.CHANGED, at + "wsPath: /mqtt, the only path");
        }
    }

    private void settingOf(Listener listener, String key, Setting given, String at, String kind) {
        int line = given.line();
        String value = given.value();
        switch (key) {
            case "protocol" -> target.note(line, key, Outcome.TAKEN, kind);
            case "max_connections" ->
                target.take(line, key, at + "maxConnections", value.startsWith("-") ? "0" : value);
            case "max_packet_size" -> target.take(line, key, at + "maxPacketBytes", value);
            case "max_topic_alias" ->
                target.change(line, key, "mqttServerConfig.topicAliasMaximum", value, "of all listeners");
            case "max_qos" -> tenant.maxQos(line, key, value);
            case "accept_protocol_versions" -> tenant.acceptProtocolVersions(line, key, value);
            case "mount_point" -> mountPoint(line, key, value, at);
            case "websockets_origin" -> target.take(line, key, at + "allowedOrigins", value);
            case "certfile" -> fileName(line, key, at + "sslConfig.certFile", value);
            case "keyfile" -> fileName(line, key, at + "sslConfig.keyFile", value);
            case "cafile" -> {
                if (listener.isTrue("require_certificate")) {
                    fileName(line, key, at + "sslConfig.trustCertsFile", value);
                } else {
                    target.note(line, key, Outcome.TAKEN, "not needed: clients show no certificates");
                }
            }
            case "crlfile" -> {
                if (listener.isTrue("require_certificate")) {
                    fileName(line, key, at + "sslConfig.crlFile", value);
                } else {
                    target.note(line, key, Outcome.TAKEN, "not needed: clients show no certificates");
                }
            }
            case "require_certificate" ->
                target.take(line, key, at + "sslConfig.clientAuth", value.equals("true") ? "require" : "none");
            case "use_identity_as_username", "use_subject_as_username" -> userName(listener, key, given, at);
            case "tls_version" -> tlsVersion(line, key, value, at);
            case "socket_domain", "http_dir", "bind_interface" -> target.leaveOut(line, key, MosquittoKeys.whyNot(key));
            case "use_username_as_clientid" -> {
                if (value.equals("true")) {
                    off(line, key, at, "a client keeps the client id that it comes with");
                }
            }
            default -> target.leaveOut(line, key, MosquittoKeys.whyNot(key));
        }
    }

    private void mountPoint(int line, String key, String value, String at) {
        if (value.endsWith("/")) {
            target.take(line, key, at + "mountPoint", value);
        } else {
            off(line, key, at, "a mount point ends with a /");
        }
    }

    private void userName(Listener listener, String key, Setting given, String at) {
        boolean isIdentity = key.equals("use_identity_as_username");
        if (!given.value().equals("true")) {
            target.note(given.line(), key, Outcome.TAKEN, "the user name is that of CONNECT");
        } else if (!listener.isTrue("require_certificate")) {
            target.leaveOut(given.line(), key, "clients show no certificates");
        } else {
            target.take(given.line(), key, at + "sslConfig.userName", isIdentity ? "cn" : "subject");
        }
    }

    private void tlsVersion(int line, String key, String value, String at) {
        if (value.equals("tlsv1.3")) {
            target.take(line, key, at + "sslConfig.protocols", "TLSv1.3");
        } else if (value.equals("tlsv1.2")) {
            target.take(line, key, at + "sslConfig.protocols", "TLSv1.2, TLSv1.3");
        } else {
            target.leaveOut(line, key, "versions before TLS 1.2 are not supported");
        }
    }

    private void fileName(int line, String key, String path, String value) {
        String from = Path.of(value).isAbsolute() ? "" : "relative to the file that is written";
        if (!Files.isReadable(to.resolve(value))) {
            target.set(path, value);
            target.note(
                    line,
                    key,
                    Outcome.TO_DO,
                    path + ": " + value + " is not there, or may not be read" + (from.isEmpty() ? "" : "; " + from));
        } else if (from.isEmpty()) {
            target.take(line, key, path, value);
        } else {
            target.change(line, key, path, value, from);
        }
    }

    private void tls(Listener listener, String at) {
        if (!target.has(at + "sslConfig.certFile") || !target.has(at + "sslConfig.keyFile")) {
            off(listener.line(), "listener", at, "certfile and keyfile have to be named");
        }
        if (listener.isTrue("require_certificate") && !target.has(at + "sslConfig.trustCertsFile")) {
            off(listener.line(), "listener", at, "sslConfig.trustCertsFile names no authority: one file, no directory");
        }
    }

    private void off(int line, String key, String at, String why) {
        target.set(at + "enable", false);
        target.note(line, key, Outcome.TO_DO, LISTENER_OFF + why);
    }

    // ---- users and rules

    private void access() {
        boolean isPerListener = whole.containsKey("per_listener_settings")
                && whole.get("per_listener_settings").value().equals("true");
        Setting separate = whole.get("per_listener_settings");
        if (separate != null) {
            if (isPerListener && listeners.size() > 1) {
                for (String key : List.of("allow_anonymous", "password_file", "acl_file")) {
                    Setting own = whole.get(key);
                    if (own != null) {
                        target.leaveOut(own.line(), key, "users and rules are those of all listeners");
                    }
                }
                thisMachineOnly(separate.line(), "per_listener_settings", "users and rules are those of all listeners");
                return;
            }
            target.note(separate.line(), "per_listener_settings", Outcome.TAKEN, "they are of all listeners");
        }
        Setting users = whole.get("password_file");
        Setting rules = whole.get("acl_file");
        Setting anonymous = whole.get("allow_anonymous");
        boolean allowsAnonymous = anonymous != null
                ? anonymous.value().equals("true")
                : listeners.stream().noneMatch(each -> each.line() > 0) && users == null;
        if (users == null && rules == null && allowsAnonymous) {
            if (anonymous != null) {
                target.take(anonymous.line(), "allow_anonymous", "authConfig.provider", "allow-all");
            }
            return; // without that line both brokers serve loopback only
        }
        if (users == null && !hasUserNamesOfCertificates()) {
            if (anonymous != null) {
                target.note(anonymous.line(), "allow_anonymous", Outcome.TO_DO, "there are no users who could log in");
            }
            if (rules != null) {
                target.leaveOut(rules.line(), "acl_file", "rules need users: name a password_file");
            }
            thisMachineOnly(0, "password_file", "no users are named");
            return;
        }
        MosquittoAccess made = new MosquittoAccess(target, file);
        made.users(users == null ? null : made.resolved(users.value()), users == null ? 0 : users.line());
        if (rules != null) {
            made.rules(made.resolved(rules.value()), rules.line());
        }
        if (anonymous != null && allowsAnonymous && made.deniesAnonymous()) {
            target.note(
                    anonymous.line(),
                    "allow_anonymous",
                    Outcome.TO_DO,
                    "clients without a user name are refused: rules of acl_file for them alone are not possible here");
        } else if (anonymous != null) {
            target.take(anonymous.line(), "allow_anonymous", "authConfig.allowAnonymous", allowsAnonymous);
        }
    }

    private boolean hasUserNamesOfCertificates() {
        return listeners.stream()
                .anyMatch(each -> each.isTrue("require_certificate")
                        && (each.isTrue("use_identity_as_username") || each.isTrue("use_subject_as_username")));
    }

    private void thisMachineOnly(int line, String key, String why) {
        target.note(
                line,
                key,
                Outcome.TO_DO,
                "listeners serve this machine only until authConfig.provider says who checks clients: " + why);
        for (String kind : List.of("tcpListener", "tlsListener", "wsListener", "wssListener")) {
            for (int i = 0; i < listeners.size(); i++) {
                target.remove("mqttServerConfig." + kind + "[" + i + "].host");
            }
        }
    }
}
