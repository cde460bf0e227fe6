package io.godwit.perf.option;

import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TrustOptions;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Certificates and keys, read once for all clients: each client of Vert.x MQTT creates a TLS context of its own and
 * would read the files again.
 *
 * @param trust null: no TLS
 * @param identity null: clients present no certificate
 */
record TlsMaterial(@Nullable TrustOptions trust, @Nullable KeyCertOptions identity) {
    /**
     * Reads the files.
     *
     * @throws IllegalArgumentException if a file cannot be used
     */
    static TlsMaterial load(
            @Nullable Path authorities, boolean isInsecure, @Nullable Path certificate, @Nullable Path key) {
        Vertx vertx = Vertx.vertx();
        try {
            TrustOptions trust = isInsecure
                    ? TrustOptions.wrap(new TrustingAll())
                    : TrustOptions.wrap(trustManagers(vertx, authorities));
            if (certificate == null || key == null) {
                return new TlsMaterial(trust, null);
            }
            PemKeyCertOptions pem =
                    new PemKeyCertOptions().setCertPath(readable(certificate)).setKeyPath(readable(key));
            return new TlsMaterial(trust, KeyCertOptions.wrap(pem.getKeyManagerFactory(vertx)));
        } catch (IllegalArgumentException e) {
            throw e;
        } catch (Exception e) { // key providers throw any kind of exception
            throw new IllegalArgumentException("certificates cannot be used: " + e.getMessage(), e);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().orTimeout(5, TimeUnit.SECONDS);
        }
    }

    private static TrustManagerFactory trustManagers(Vertx vertx, @Nullable Path authorities) throws Exception {
        if (authorities != null) {
            return new PemTrustOptions().addCertPath(readable(authorities)).getTrustManagerFactory(vertx);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null);
        return factory;
    }

    private static String readable(Path file) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException("cannot read " + file);
        }
        return file.toAbsolutePath().toString();
    }

    /** Trusts every certificate, as this is a test of load and not of trust. */
    private static final class TrustingAll extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
