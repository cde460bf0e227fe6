package io.godwit.broker.auth.remote;

import io.godwit.common.pem.PemFile;
import io.godwit.plugin.context.PluginSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings for an {@code https} service. The host name in its certificate is always checked.
 *
 * @param trusted PEM certificates of authorities; null for the JVM's default
 * @param certificate of the broker, with the intermediate ones; null for none
 * @param key of {@code certificate}; null without one
 */
public record RemoteTls(
        @Nullable Path trusted,
        @Nullable Path certificate,
        @Nullable Path key) {
    private static final String TRUSTED = "trustedCertificates";
    private static final String CERTIFICATE = "certificate";
    private static final String KEY = "key";
    private static final char[] NO_PASSWORD = {};

    /** Reads the section {@code tls} of {@code settings}. */
    public static RemoteTls of(PluginSettings settings) {
        PluginSettings tls = settings.section("tls");
        Path trusted = file(tls, TRUSTED);
        Path certificate = file(tls, CERTIFICATE);
        Path key = file(tls, KEY);
        if ((certificate == null) != (key == null)) {
            tls.error(certificate == null ? CERTIFICATE : KEY, "has to be given with the other of the two");
        }
        return new RemoteTls(trusted, certificate, key);
    }

    private static @Nullable Path file(PluginSettings tls, String key) {
        return tls.text(key, "").isEmpty() ? null : tls.file(key, "");
    }

    /** The TLS context; null for the JVM's default. Blocks, since it reads files. */
    public @Nullable SSLContext context() throws IOException {
        Path ofBroker = certificate;
        Path secret = key;
        if (trusted == null && ofBroker == null) {
            return null;
        }
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(
                    trusted == null
                            ? null
                            : authorities(PemFile.readSmall(trusted).certificates()));
            KeyManagerFactory own = null;
            if (ofBroker != null && secret != null) {
                KeyStore store = empty();
                store.setKeyEntry(
                        "broker",
                        PemFile.readSmall(secret).pkcs8Key(),
                        NO_PASSWORD,
                        PemFile.readSmall(ofBroker).certificates().toArray(X509Certificate[]::new));
                own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                own.init(store, NO_PASSWORD);
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own == null ? null : own.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificates of section tls cannot be used: " + e.getMessage(), e);
        }
    }

    private static KeyStore authorities(List<X509Certificate> certificates)
            throws GeneralSecurityException, IOException {
        KeyStore store = empty();
        for (int i = 0; i < certificates.size(); i++) {
            store.setCertificateEntry("authority-" + i, certificates.get(i));
        }
        return store;
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }
}
