package io.godwit.cluster.trust;

import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.ClusterException;
import io.godwit.common.pem.PemFile;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mutual TLS between nodes, for the membership and for RPC, from one set of files. Each side must show a certificate
 * that the authority signed, that is valid now, and that has the required name if one is configured.
 *
 * <p>A node's address is not compared with its certificate: members move, and the authority decides who may be a node.
 * So the authority should serve this cluster alone, or a name should be required.
 *
 * <p>Certificates can be renewed while nodes run: {@link #refresh} loads changed files for all later connections.
 */
public final class ClusterTls {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterTls.class);
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
    /** Type of a DNS name in the {@code GeneralName} of RFC 5280. */
    private static final int DNS_NAME = 2;

    /** The content of the files. */
    private record Material(List<X509Certificate> chain, PrivateKey key, X509TrustManager trust, List<Long> readOf) {
        X509Certificate certificate() {
            return chain.get(0);
        }

        X509Certificate[] chainArray() {
            return chain.toArray(X509Certificate[]::new);
        }
    }

    private final ClusterConfig.TlsFiles files;
    /** Has the certificate and the key of {@link #material}. */
    private final AdvancedTlsX509KeyManager keys = new AdvancedTlsX509KeyManager();

    private final Trust trust = new Trust();
    /** Replaced by {@link #refresh}, read by handshakes on many threads. */
    private volatile Material material;

    private ClusterTls(ClusterConfig.TlsFiles files, Material material) {
        this.files = files;
        this.material = material;
        keys.updateIdentityCredentials(material.chainArray(), material.key());
    }

    /** @throws ClusterException if a file is missing, damaged, expired or does not fit the others; names the file */
    public static ClusterTls load(ClusterConfig.TlsFiles files) throws ClusterException {
        ClusterTls tls = unchecked(files);
        tls.check(tls.material);
        return tls;
    }

    /** Loads the files without a check; tests use it to present certificates that other nodes must refuse. */
    static ClusterTls unchecked(ClusterConfig.TlsFiles files) throws ClusterException {
        return new ClusterTls(files, read(files));
    }

    private static Material read(ClusterConfig.TlsFiles files) throws ClusterException {
        try {
            List<Long> times = modifiedTimes(files);
            List<X509Certificate> chain = PemFile.read(files.certificate()).certificates();
            PrivateKey key = PemFile.read(files.key()).pkcs8Key();
            List<X509Certificate> authorities = PemFile.read(files.authority()).certificates();
            return new Material(chain, key, trusting(authorities), times);
        } catch (IOException e) {
            throw new ClusterException("clusterConfig.tls: " + e.getMessage(), e);
        }
    }

    private static List<Long> modifiedTimes(ClusterConfig.TlsFiles files) throws IOException {
        List<Long> times = new ArrayList<>();
        for (Path file : List.of(files.certificate(), files.key(), files.authority())) {
            times.add(Files.exists(file) ? Files.getLastModifiedTime(file).toMillis() : -1);
        }
        return times;
    }

    private static X509TrustManager trusting(List<X509Certificate> authorities) throws IOException {
        try {
            KeyStore store = emptyStore();
            for (int i = 0; i < authorities.size(); i++) {
                store.setCertificateEntry("authority-" + i, authorities.get(i));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            for (TrustManager manager : factory.getTrustManagers()) {
                if (manager instanceof X509TrustManager found) {
                    return found;
                }
            }
            throw new IllegalStateException("PKIX has no trust manager for X.509");
        } catch (GeneralSecurityException e) {
            throw new IOException("authority cannot be used: " + e.getMessage(), e);
        }
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    /**
     * Checks that other nodes would accept this certificate. Without the check a bad one would show only as their
     * silence.
     */
    private void check(Material fresh) throws ClusterException {
        String file = "clusterConfig.tls: " + files.certificate();
        try {
            if (!belongTogether(fresh.certificate().getPublicKey(), fresh.key())) {
                throw new ClusterException(file + " does not belong to the key in " + files.key());
            }
            fresh.trust().checkClientTrusted(fresh.chainArray(), authType(fresh));
            fresh.trust().checkServerTrusted(fresh.chainArray(), authType(fresh));
            checkName(fresh.chainArray());
        } catch (CertificateException e) {
            throw new ClusterException(file + " would be refused by other nodes: " + reasonOf(e), e);
        }
    }

    private static boolean belongTogether(PublicKey known, PrivateKey secret) {
        String algorithm = switch (known.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> known.getAlgorithm(); // EdDSA: key and signature algorithm have the same name
        };
        byte[] proof = {1, 2, 3};
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(secret);
            signature.update(proof);
            byte[] signed = signature.sign();
            signature.initVerify(known);
            signature.update(proof);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            LOG.debug("no signature by {}", algorithm, e);
            return false; // the key is of another algorithm
        }
    }

    /**
     * The authentication type that a handshake would name; needed to check the key usages that a certificate allows.
     */
    private static String authType(Material material) {
        return "ECDHE_" + (material.key().getAlgorithm().equals("RSA") ? "RSA" : "ECDSA");
    }

    /** The message of the root cause; the outer exceptions only say that no path was found. */
    private static String reasonOf(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return cause == null ? String.valueOf(thrown.getMessage()) : reasonOf(cause);
    }

    /** Loads the files again if they have changed and are valid; otherwise the old ones stay in use. Blocks. */
    public void refresh() {
        try {
            if (modifiedTimes(files).equals(material.readOf())) {
                return;
            }
            Material fresh = read(files);
            check(fresh);
            material = fresh;
            keys.updateIdentityCredentials(fresh.chainArray(), fresh.key());
            LOG.info(
                    "cluster certificate renewed validUntil={}",
                    fresh.certificate().getNotAfter().toInstant());
        } catch (IOException e) {
            LOG.error("changed cluster certificate cannot be used, the old one stays in use cause={}", e.getMessage());
        }
    }

    /** The certificate that this node uses now. */
    X509Certificate certificate() {
        return material.certificate();
    }

    /** For the sockets of the membership. */
    public SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {keys}, new TrustManager[] {trust}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }

    public static String[] protocols() {
        return PROTOCOLS.clone();
    }

    public SslContext serverContext() throws SSLException {
        return configured(SslContextBuilder.forServer(keys).clientAuth(ClientAuth.REQUIRE));
    }

    public SslContext clientContext() throws SSLException {
        return configured(SslContextBuilder.forClient().keyManager(keys));
    }

    private SslContext configured(SslContextBuilder builder) throws SSLException {
        // with the JDK's TLS, the engine asks the managers below at each handshake
        return GrpcSslContexts.configure(builder, SslProvider.JDK)
                .trustManager(trust)
                .protocols(PROTOCOLS)
                .build();
    }

    private void checkName(X509Certificate[] chain) throws CertificateException {
        String required = files.requiredName();
        if (!required.isEmpty() && !dnsNames(chain[0]).contains(required.toLowerCase(Locale.ROOT))) {
            throw new CertificateException("certificate " + chain[0].getSubjectX500Principal()
                    + " does not have the DNS name " + required + " that nodes must have");
        }
    }

    private static List<String> dnsNames(X509Certificate certificate) throws CertificateException {
        Collection<List<?>> names = certificate.getSubjectAlternativeNames();
        if (names == null) {
            return List.of();
        }
        return names.stream()
                .filter(name -> name.get(0).equals(DNS_NAME))
                .map(name -> String.valueOf(name.get(1)).toLowerCase(Locale.ROOT))
                .toList();
    }

    /** Checks chain, validity and name, the same for both sides. */
    private final class Trust extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            material.trust().checkClientTrusted(chain, authType);
            checkName(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            material.trust().checkServerTrusted(chain, authType);
            checkName(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, @Nullable Socket socket)
                throws CertificateException {
            checkClientTrusted(chain, authType);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, @Nullable Socket socket)
                throws CertificateException {
            checkServerTrusted(chain, authType);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
                throws CertificateException {
            checkClientTrusted(chain, authType);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
                throws CertificateException {
            checkServerTrusted(chain, authType);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return material.trust().getAcceptedIssuers();
        }
    }
}
