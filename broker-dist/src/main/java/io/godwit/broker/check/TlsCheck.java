package io.godwit.broker.check;

import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.BrokerSettings;
import io.godwit.broker.effective.ListenerSection;
import io.godwit.common.pem.PemFile;
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
 * Checks the TLS settings of one listener: the files exist, are readable and fit together, and the settings for client
 * certificates make sense.
 */
final class TlsCheck {
    private final ListenerSection section;
    private final BrokerConfig config;
    private final List<String> errors = new ArrayList<>();

    TlsCheck(ListenerSection section, BrokerConfig config) {
        this.section = section;
        this.config = config;
    }

    /** @return one line per error, each naming its key */
    List<String> errors() {
        file("certFile", section.ssl().certFile(), true, PemFile::certificates);
        file("keyFile", section.ssl().keyFile(), true, PemFile::privateKey);
        boolean asksClients = section.ssl().clientAuth() != ClientCertificate.NONE;
        file("trustCertsFile", section.ssl().trustCertsFile(), asksClients, PemFile::certificates);
        file("crlFile", section.ssl().crlFile(), false, PemFile::revocationLists);
        if (!asksClients) {
            needsClients("trustCertsFile", !section.ssl().trustCertsFile().isEmpty());
            needsClients("crlFile", !section.ssl().crlFile().isEmpty());
            needsClients("userName", section.ssl().userName() != UserName.NONE);
        }
        TlsConfig.Engine provider = section.ssl().provider();
        Throwable failure = ServerTls.boringSslFailure();
        if (provider == TlsConfig.Engine.BORINGSSL && failure != null) {
            error("provider", "BoringSSL does not load here: " + failure);
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

    /** Otherwise settings for client certificates would have no effect, and the listener would be open to anybody. */
    private void needsClients(String key, boolean isGiven) {
        if (isGiven) {
            error(key, "has no effect while sslConfig.clientAuth is none; set that to optional or require");
        }
    }

    private void file(String key, String name, boolean isNeeded, Reading reading) {
        Path file = config.file(name);
        if (file == null) {
            if (isNeeded) {
                error(key, "must name a file");
            }
            return;
        }
        try {
            reading.read(PemFile.read(file));
        } catch (IOException e) {
            error(key, e.getMessage());
        }
    }

    private void error(String key, @Nullable String text) {
        errors.add(section.path() + ".sslConfig." + key + ": " + text);
    }

    private interface Reading {
        Object read(PemFile file) throws IOException;
    }
}
