package io.godwit.broker.conversion;

import io.godwit.broker.conversion.FlatYaml.Value;
import io.godwit.broker.conversion.Note.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Converts BifroMQ's {@code standalone.yml} to ours: {@link #convert} converts each line as {@link BifromqKeys}
 * defines, then adds defaults of BifroMQ that the file does not mention. Access is never less restricted than before:
 * where a restriction cannot be converted, the listener binds to loopback or is switched off. For one thread.
 */
final class BifromqConversion {
    private static final String TLS_WITHOUT_AUTHORITY =
            "the listener is switched off: clients are to show certificates, and sslConfig.trustCertsFile names no "
                    + "authority";

    private final Path file;
    private final Target target = new Target();
    private Map<String, Value> values = Map.of();

    BifromqConversion(Path file) {
        this.file = file;
    }

    Converted convert(String text) throws ConversionException {
        values = FlatYaml.read(file, text);
        values.forEach(this::entry);
        for (String listener : List.of("tcpListener", "tlsListener", "wsListener", "wssListener")) {
            listener(listener);
        }
        auth();
        nodes();
        api();
        return target.converted(Target.header("BifroMQ's " + file.getFileName()));
    }

    private void entry(String path, Value value) {
        String ours = BifromqKeys.ours(path);
        if (value.items().isEmpty()) {
            return; // BifroMQ ignores an empty value, too
        }
        if (path.equals("rpcConfig.enableSSL")) {
            target.note(value.line(), path, Outcome.TAKEN, "clusterConfig.tls says so");
        } else if (ours == null) {
            String why = BifromqKeys.without(path);
            target.leaveOut(value.line(), path, why == null ? "is not known as a key of BifroMQ" : why);
        } else if (ours.endsWith(".clientAuth")) {
            String text = value.text().toLowerCase(Locale.ROOT);
            target.take(value.line(), path, ours, text);
        } else if (ours.equals("mqttServerConfig.connectRate")) {
            target.change(value.line(), path, ours, value.text(), "of each listener, not of all together");
        } else if (ours.endsWith("File")) {
            fileName(path, value, ours);
        } else {
            target.take(value.line(), path, ours, String.join(",", value.items()));
        }
    }

    private void fileName(String path, Value value, String ours) {
        if (Path.of(value.text()).isAbsolute()) {
            target.take(value.line(), path, ours, value.text());
        } else {
            target.change(value.line(), path, ours, value.text(), "relative to the file that is written");
        }
    }

    private boolean isSaid(String path) {
        return values.entrySet().stream()
                .anyMatch(each -> BifromqKeys.normal(each.getKey()).equals(path)
                        && !each.getValue().items().isEmpty());
    }

    private void listener(String listener) {
        String at = "mqttServerConfig." + listener + ".";
        boolean isOnByDefault = listener.equals("tcpListener") || listener.equals("wsListener");
        if (!target.has(at + "enable")) {
            target.set(at + "enable", isOnByDefault);
            if (listener.equals("wsListener")) {
                target.note(0, at + "enable", Outcome.TAKEN, at + "enable: true, the default of BifroMQ");
            }
        }
        if (!String.valueOf(target.get(at + "enable")).equals("true")) {
            target.set(at + "enable", false);
            return;
        }
        if (listener.equals("tlsListener") && !target.has(at + "port")) {
            target.set(at + "port", 1884);
            target.note(0, at + "port", Outcome.TAKEN, at + "port: 1884, the default of BifroMQ");
        }
        if (listener.equals("tlsListener") || listener.equals("wssListener")) {
            tls(at);
        }
    }

    private void tls(String at) {
        String clientAuth = at + "sslConfig.clientAuth";
        boolean hasAuthority = target.has(at + "sslConfig.trustCertsFile");
        String asked = String.valueOf(target.has(clientAuth) ? target.get(clientAuth) : "optional");
        if (asked.equals("none") || asked.equals("optional") && !hasAuthority) {
            if (hasAuthority) {
                target.remove(at + "sslConfig.trustCertsFile");
                target.note(0, clientAuth, Outcome.CHANGED, "none, so trustCertsFile is left out");
            }
            target.set(clientAuth, "none");
            if (!asked.equals("none")) {
                target.note(0, clientAuth, Outcome.CHANGED, clientAuth + ": none, since no trustCertsFile is named");
            }
        } else if (hasAuthority) { // an unknown word is an error, which switches the listener off
            if (!target.has(clientAuth)) {
                target.set(clientAuth, asked);
            }
        } else {
            target.set(at + "enable", false);
            target.remove(clientAuth);
            target.note(0, clientAuth, Outcome.TO_DO, TLS_WITHOUT_AUTHORITY);
        }
        if (!target.has(at + "sslConfig.certFile") || !target.has(at + "sslConfig.keyFile")) {
            target.set(at + "enable", false);
            target.note(
                    0,
                    at + "sslConfig",
                    Outcome.TO_DO,
                    "the listener is switched off: certFile and keyFile have to be named");
        }
    }

    /** Clients that a plugin kept out must not get in without it. */
    private void auth() {
        if (isSaid("authProviderFQN")) {
            boolean wasOpen = false;
            for (String listener : List.of("tcpListener", "tlsListener", "wsListener", "wssListener")) {
                String host = "mqttServerConfig." + listener + ".host";
                wasOpen |= target.has(host);
                target.remove(host);
            }
            target.note(
                    0,
                    "authProviderFQN",
                    Outcome.TO_DO,
                    "listeners serve this machine only until authConfig.provider names who checks clients"
                            + (wasOpen ? "; then say their hosts again" : ""));
            return;
        }
        if (!target.has("mqttServerConfig.tcpListener.host")) {
            target.note(
                    0,
                    "mqttServerConfig.tcpListener.host",
                    Outcome.CHANGED,
                    "listeners without a host serve this machine only, since nobody checks clients: see"
                            + " authConfig.provider");
        }
    }

    private void nodes() {
        boolean isClustered = target.has("clusterConfig.host")
                || target.has("clusterConfig.seedEndpoints")
                || target.has("clusterConfig.clusterDomainName");
        for (String port : List.of("clusterConfig.port", "clusterConfig.rpcPort")) {
            if ("0".equals(target.get(port))) { // 0 means any free port in BifroMQ
                target.remove(port);
                target.note(0, port, Outcome.CHANGED, "the default, since nodes find each other by it");
            }
        }
        boolean hasTls = target.has("clusterConfig.tls.certFile")
                && target.has("clusterConfig.tls.keyFile")
                && target.has("clusterConfig.tls.trustCertsFile");
        Value ssl = values.get("rpcConfig.enableSSL");
        boolean isPlainThere = ssl == null || !ssl.text().equals("true");
        if (!hasTls || isSaid("rpcConfig.enableSSL") && isPlainThere) {
            boolean hadSome = false;
            for (String name : List.of("certFile", "keyFile", "trustCertsFile")) {
                hadSome |= target.has("clusterConfig.tls." + name);
                target.remove("clusterConfig.tls." + name);
            }
            if (isClustered && (hadSome || isSaid("rpcConfig.enableSSL") && !isPlainThere)) {
                target.remove("clusterConfig.host");
                target.remove("clusterConfig.seedEndpoints");
                target.remove("clusterConfig.clusterDomainName");
                target.note(
                        0,
                        "clusterConfig",
                        Outcome.TO_DO,
                        "the node is alone until clusterConfig.tls names certFile, keyFile and trustCertsFile");
            } else if (isClustered) {
                target.set("clusterConfig.tls.plain", true);
                target.note(
                        0,
                        "clusterConfig",
                        Outcome.CHANGED,
                        "clusterConfig.tls.plain: true, as there: whoever reaches the ports of nodes may read and"
                                + " change everything");
            }
        }
    }

    private void api() {
        String host = "apiServerConfig.host";
        Object given = target.get(host);
        if (given != null && !given.equals("127.0.0.1") && !given.equals("localhost")) {
            target.remove(host);
            target.note(
                    0,
                    host,
                    Outcome.TO_DO,
                    "the API serves this machine only until apiServerConfig.tokensFile says who may use it "
                            + "(godwit-admin token add)");
        }
    }
}
