package io.godwit.mqtt.transport.tls;

import io.godwit.common.pem.PemFile;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS context of a listener, made from its files and made again when they change. Existing connections continue
 * unchanged. A reload makes a new context, and with it new session tickets and an empty session cache: a resumed
 * session cannot bypass the revocation of its certificate.
 *
 * <p>{@link #newHandler} is for event loops; {@link #reloadIfChanged} may block and is for one thread at a time. They
 * share the context under a lock, because BoringSSL's is reference-counted: it must not be released between the read
 * and the retain.
 */
public final class ServerTls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerTls.class);

    /** Sessions kept for resumption by clients without tickets, and for how long. */
    private static final int MAX_SESSIONS = 4096;

    private static final int SESSION_SECONDS = 3600;

    private final TlsConfig config;
    private final Object lock = new Object();
    private @Nullable SslContext context;
    private Map<Path, Stamp> stamps;
    /** Why the files could not be used at the last check; null if they could. Owned by the thread that reloads. */
    private @Nullable String failure;

    private ServerTls(TlsConfig config, Map<Path, Stamp> stamps, SslContext context) {
        this.config = config;
        this.stamps = stamps;
        this.context = context;
    }

    /** @throws IOException naming the file and the error */
    public static ServerTls load(TlsConfig config) throws IOException {
        Map<Path, Stamp> stamps = stamps(config);
        return new ServerTls(config, stamps, build(config));
    }

    public TlsConfig config() {
        return config;
    }

    /**
     * The handler of a new connection. It has no time-out of its own: the connection's connect time-out covers the
     * handshake.
     */
    public SslHandler newHandler(ByteBufAllocator allocator) {
        SslContext current;
        synchronized (lock) {
            current = context;
            if (current == null) {
                throw new IllegalStateException("closed");
            }
            ReferenceCountUtil.retain(current);
        }
        try {
            SslHandler handler = current.newHandler(allocator);
            handler.setHandshakeTimeoutMillis(0);
            return handler;
        } finally {
            ReferenceCountUtil.release(current);
        }
    }

    /**
     * Reads the files again when one of them has changed since the last call.
     *
     * @return whether new ones are in force
     * @throws IOException as {@link #load}; the old ones stay in force
     */
    public boolean reloadIfChanged() throws IOException {
        Map<Path, Stamp> now = stamps(config);
        boolean isChanged = !now.equals(stamps);
        if (!isChanged && failure == null) {
            return false;
        }
        stamps = now;
        SslContext fresh;
        try {
            fresh = build(config);
            failure = null;
        } catch (IOException e) { // reported once; tried at each call, since the disk may have failed
            String before = failure;
            failure = String.valueOf(e.getMessage());
            if (!isChanged && failure.equals(before)) {
                return false;
            }
            throw e;
        }
        SslContext old;
        synchronized (lock) {
            old = context;
            if (old == null) { // closed meanwhile
                old = fresh;
            } else {
                context = fresh;
            }
        }
        ReferenceCountUtil.release(old);
        return old != fresh;
    }

    @Override
    public void close() {
        SslContext last;
        synchronized (lock) {
            last = context;
            context = null;
        }
        if (last != null) {
            ReferenceCountUtil.release(last);
        }
    }

    /** Why BoringSSL cannot be used here; null when it can. */
    public static @Nullable Throwable boringSslFailure() {
        return OpenSsl.unavailabilityCause();
    }

    private static SslContext build(TlsConfig config) throws IOException {
        List<X509Certificate> chain = PemFile.read(config.certFile()).certificates();
        PrivateKey key = PemFile.read(config.keyFile()).privateKey();
        checkPair(config, chain.get(0), key);
        if (chain.get(0).getNotAfter().toInstant().isBefore(Instant.now())) {
            LOG.warn(
                    "certificate has expired file={} notAfter={}",
                    config.certFile(),
                    chain.get(0).getNotAfter());
        }
        SslProvider provider = provider(config);
        checkCiphers(config, provider);
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(key, chain)
                    .sslProvider(provider)
                    .protocols(config.protocols())
                    .sessionCacheSize(MAX_SESSIONS)
                    .sessionTimeout(SESSION_SECONDS)
                    .clientAuth(
                            switch (config.clientCertificate()) {
                                case NONE -> ClientAuth.NONE;
                                case OPTIONAL -> ClientAuth.OPTIONAL;
                                case REQUIRE -> ClientAuth.REQUIRE;
                            });
            if (!config.ciphers().isEmpty()) {
                builder.ciphers(config.ciphers(), IdentityCipherSuiteFilter.INSTANCE);
            }
            if (config.clientCertificate() != TlsConfig.ClientCertificate.NONE && config.trustCertsFile() != null) {
                builder.trustManager(trust(config.trustCertsFile(), config.crlFile()));
            }
            return builder.build();
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("cannot use TLS with " + config.certFile() + ": " + e.getMessage(), e);
        }
    }

    private static SslProvider provider(TlsConfig config) throws IOException {
        return switch (config.engine()) {
            case AUTO -> OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK;
            case JDK -> SslProvider.JDK;
            case BORINGSSL -> {
                if (!OpenSsl.isAvailable()) {
                    throw new IOException("BoringSSL does not load: " + OpenSsl.unavailabilityCause());
                }
                yield SslProvider.OPENSSL_REFCNT;
            }
        };
    }

    private static void checkCiphers(TlsConfig config, SslProvider provider) throws IOException {
        Set<String> known;
        if (provider == SslProvider.JDK) {
            try {
                SSLEngine engine = javax.net.ssl.SSLContext.getDefault().createSSLEngine();
                known = Set.of(engine.getSupportedCipherSuites());
            } catch (GeneralSecurityException e) {
                throw new IOException("the JDK has no TLS: " + e.getMessage(), e);
            }
        } else {
            known = OpenSsl.availableJavaCipherSuites();
        }
        for (String cipher : config.ciphers()) {
            if (!known.contains(cipher)) {
                throw new IOException("unknown cipher " + cipher + ", known are " + String.join(", ", known));
            }
        }
    }

    private static void checkPair(TlsConfig config, X509Certificate certificate, PrivateKey key) throws IOException {
        String mismatch = config.keyFile() + " is not the key of the certificate in " + config.certFile();
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        };
        byte[] probe = {1, 2, 3, 4};
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(probe);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(probe);
            if (!signature.verify(signed)) {
                throw new IOException(mismatch);
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(mismatch + ": " + e.getMessage(), e);
        }
    }

    /**
     * With {@code crlFile}, also refuses a certificate whose authority has no list in it, or an outdated one, since its
     * state is unknown.
     */
    private static TrustManagerFactory trust(Path authorities, @Nullable Path crlFile)
            throws IOException, GeneralSecurityException {
        KeyStore anchors = KeyStore.getInstance(KeyStore.getDefaultType());
        anchors.load(null, null);
        int number = 0;
        for (X509Certificate authority : PemFile.read(authorities).certificates()) {
            anchors.setCertificateEntry("authority-" + number++, authority);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        if (crlFile == null) {
            factory.init(anchors);
            return factory;
        }
        PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, new X509CertSelector());
        parameters.addCertStore(CertStore.getInstance(
                "Collection",
                new CollectionCertStoreParameters(PemFile.read(crlFile).revocationLists())));
        PKIXRevocationChecker revocation =
                (PKIXRevocationChecker) CertPathBuilder.getInstance("PKIX").getRevocationChecker();
        revocation.setOptions(
                EnumSet.of(PKIXRevocationChecker.Option.PREFER_CRLS, PKIXRevocationChecker.Option.NO_FALLBACK));
        parameters.addCertPathChecker(revocation);
        factory.init(new CertPathTrustManagerParameters(parameters));
        return factory;
    }

    private static Map<Path, Stamp> stamps(TlsConfig config) {
        Map<Path, Stamp> stamps = new HashMap<>();
        for (Path file : config.files()) {
            stamps.put(file, Stamp.of(file));
        }
        return stamps;
    }

    /**
     * Distinguishes the states of a file.
     *
     * @param id null where the file system has none
     */
    private record Stamp(
            long modifiedNanos, long size, @Nullable Object id) {
        private static final Stamp ABSENT = new Stamp(0, -1, null);

        static Stamp of(Path file) {
            try {
                BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                return new Stamp(
                        attributes.lastModifiedTime().to(java.util.concurrent.TimeUnit.NANOSECONDS),
                        attributes.size(),
                        attributes.fileKey());
            } catch (IOException e) {
                return ABSENT; // build() reports the error
            }
        }
    }
}
