package io.godwit.broker;

import io.godwit.mqtt.transport.tls.PemFiles;
import io.godwit.mqtt.transport.tls.ServerTls;
import io.godwit.mqtt.transport.tls.TlsConfig;
import io.godwit.mqtt.transport.tls.TlsConfig.ClientCertificate;
import io.godwit.mqtt.transport.tls.TlsConfig.UserName;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether the TLS of one listener can be had: the files are there, can be read and fit, and what is asked of clients
 * makes sense.
 */
final class TlsCheck {
    private final ListenerSection section;
    private final BrokerConfig config;
    private final List<String> errors = new ArrayList<>();

    TlsCheck(ListenerSection section, BrokerConfig config) {
        this.section = section;
        this.config = config;
    }

    /** One line per error, each naming its key. */
    List<String> errors() {
        file(ListenerSettings.CERT_FILE, true, PemFiles::certificates);
        file(ListenerSettings.KEY_FILE, true, PemFiles::privateKey);
        boolean asksClients = section.get(ListenerSettings.CLIENT_AUTH) != ClientCertificate.NONE;
        file(ListenerSettings.TRUST_CERTS_FILE, asksClients, PemFiles::certificates);
        file(ListenerSettings.CRL_FILE, false, PemFiles::revocationLists);
        if (!asksClients) {
            needsClients(
                    ListenerSettings.TRUST_CERTS_FILE,
                    !section.get(ListenerSettings.TRUST_CERTS_FILE).isEmpty());
            needsClients(
                    ListenerSettings.CRL_FILE,
                    !section.get(ListenerSettings.CRL_FILE).isEmpty());
            needsClients(ListenerSettings.USER_NAME, section.get(ListenerSettings.USER_NAME) != UserName.NONE);
        }
        TlsConfig.Engine provider = section.get(ListenerSettings.PROVIDER);
        Throwable failure = ServerTls.boringSslFailure();
        if (provider == TlsConfig.Engine.BORINGSSL && failure != null) {
            error(ListenerSettings.PROVIDER, "BoringSSL does not load here: " + failure);
        }
        if (errors.isEmpty()) {
            try {
                ServerTls.load(BrokerSettings.tls(section, config)).close();
            } catch (IOException e) {
                errors.add(section.path() + ".sslConfig: " + e.getMessage());
            }
        }
        return errors;
    }

    /** What is said of clients' certificates would have no effect, and the listener be open to anybody. */
    private void needsClients(Setting<?> setting, boolean isGiven) {
        if (isGiven) {
            error(setting, "has no effect while sslConfig.clientAuth is none; set that to optional or require");
        }
    }

    private void file(Setting<String> setting, boolean isNeeded, Reading reading) {
        Path file = config.file(section.get(setting));
        if (file == null) {
            if (isNeeded) {
                error(setting, "must name a file");
            }
            return;
        }
        try {
            reading.read(file);
        } catch (IOException e) {
            error(setting, e.getMessage());
        }
    }

    private void error(Setting<?> setting, @Nullable String text) {
        errors.add(section.path() + "." + setting.key() + ": " + text);
    }

    private interface Reading {
        Object read(Path file) throws IOException;
    }
}
