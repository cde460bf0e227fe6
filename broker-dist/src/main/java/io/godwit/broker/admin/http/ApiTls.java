package io.godwit.broker.admin.http;

import io.godwit.common.pem.PemFile;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Makes TLS contexts: which servers are trusted, and with which certificate the client identifies itself. Blocks, since
 * it reads files.
 */
final class ApiTls {
    private static final char[] NO_PASSWORD = new char[0];

    private ApiTls() {}

    /** For a target without TLS; avoids loading the JVM's authorities. */
    static SSLContext none() throws IOException {
        return context(new KeyManager[0], new TrustManager[] {new Pinned(List.of())});
    }

    /** Trusts only the server with the first certificate of a file, under any host name. */
    static SSLContext pinned(Path certificate) throws IOException {
        return context(new KeyManager[0], new TrustManager[] {
            new Pinned(PemFile.read(certificate).certificates().subList(0, 1))
        });
    }

    /**
     * Trusts servers that an authority has certified for the host name in use.
     *
     * @param authorities PEM file; null for the authorities of the JVM
     * @param certificate the client's certificate, with {@code key}; null for none
     */
    static SSLContext vouched(@Nullable Path authorities, @Nullable Path certificate, @Nullable Path key)
            throws IOException {
        return context(
                certificate == null || key == null ? null : keys(certificate, key),
                authorities == null ? null : authorities(authorities));
    }

    private static SSLContext context(KeyManager @Nullable [] keys, TrustManager @Nullable [] trusted)
            throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trusted, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS cannot be used: " + e.getMessage(), e);
        }
    }

    private static TrustManager[] authorities(Path file) throws IOException {
        List<X509Certificate> certificates = PemFile.read(file).certificates();
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (int i = 0; i < certificates.size(); i++) {
                store.setCertificateEntry("ca" + i, certificates.get(i));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            return factory.getTrustManagers();
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " cannot be used: " + e.getMessage(), e);
        }
    }

    private static KeyManager[] keys(Path certificate, Path key) throws IOException {
        X509Certificate[] chain = PemFile.read(certificate).certificates().toArray(X509Certificate[]::new);
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("key", PemFile.read(key).privateKey(), NO_PASSWORD, chain);
            KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
            factory.init(store, NO_PASSWORD);
            return factory.getKeyManagers();
        } catch (GeneralSecurityException e) {
            throw new IOException(certificate + " and " + key + " cannot be used: " + e.getMessage(), e);
        }
    }

    /** Compares the server's certificate with the given ones. The handshake proves that the server has its key. */
    private static final class Pinned extends X509ExtendedTrustManager {
        private final List<X509Certificate> trusted;

        Pinned(List<X509Certificate> trusted) {
            this.trusted = trusted;
        }

        private void check(X509Certificate[] chain) throws CertificateException {
            if (chain.length == 0 || !trusted.contains(chain[0])) {
                throw new CertificateException("its certificate is not the one of the broker's configuration");
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket)
                throws CertificateException {
            check(new X509Certificate[0]);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine)
                throws CertificateException {
            check(new X509Certificate[0]);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
            check(new X509Certificate[0]);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
