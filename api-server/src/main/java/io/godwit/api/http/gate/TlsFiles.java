package io.godwit.api.http.gate;

import io.godwit.api.port.FileWatch;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The PEM files of TLS, and whether they have changed. A key that does not belong to the certificate is refused: each
 * handshake would fail. Used by one thread at a time, which may block.
 *
 * @see #options
 */
public final class TlsFiles {
    private static final Set<String> PROTOCOLS = Set.of("TLSv1.2", "TLSv1.3");
    private static final int MAX_BYTES = 1 << 20;

    /** Algorithms of keys that Vert.x reads, with those of signatures by them. */
    private static final Map<String, String> SIGNATURES = Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA");

    private final Vertx vertx;
    private final Path certificate;
    private final Path key;
    private final @Nullable Path clientAuthority;
    private final List<FileWatch> watches = new ArrayList<>();
    private final HttpLimits limits;
    /** Whether the last read of the files failed. */
    private boolean isUnread;

    /** @param clientAuthority the CA of client certificates; null requests no client certificate */
    public TlsFiles(
            Vertx vertx,
            Path certificate,
            Path key,
            @Nullable Path clientAuthority,
            HttpLimits limits,
            FileWatch.Factory factory) {
        this.vertx = vertx;
        this.certificate = certificate;
        this.key = key;
        this.clientAuthority = clientAuthority;
        this.limits = limits;
        watches.add(factory.watch(certificate));
        watches.add(factory.watch(key));
        if (clientAuthority != null) {
            watches.add(factory.watch(clientAuthority));
        }
    }

    /** Whether the files have changed, or could not be read the last time. */
    public boolean haveChanged() {
        boolean changed = isUnread;
        for (FileWatch watch : watches) {
            changed |= watch.hasChanged(); // call all of them: a watch reports each change once
        }
        return changed;
    }

    /** @throws IOException naming the file that cannot be read, or the key that is not of the certificate */
    public ServerSSLOptions options() throws IOException {
        isUnread = true;
        ServerSSLOptions options = new ServerSSLOptions();
        PemKeyCertOptions pair =
                new PemKeyCertOptions().setCertValue(read(certificate)).setKeyValue(read(key));
        checkPair(pair);
        options.setKeyCertOptions(pair);
        options.setEnabledSecureTransportProtocols(PROTOCOLS);
        options.setUseAlpn(false);
        options.setSslHandshakeTimeout(limits.headTimeout().toMillis());
        options.setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS);
        if (clientAuthority != null) {
            options.setTrustOptions(new PemTrustOptions().addCertValue(read(clientAuthority)));
            options.setClientAuth(ClientAuth.REQUEST);
        }
        isUnread = false;
        return options;
    }

    private void checkPair(PemKeyCertOptions pair) throws IOException {
        boolean isPair;
        try {
            isPair = isPair(pair.getKeyManagerFactory(vertx).getKeyManagers());
        } catch (Exception e) { // Vert.x declares it
            throw new IOException(
                    "the files " + certificate + " and " + key + " (apiServerConfig.tls) cannot be used: "
                            + e.getMessage(),
                    e);
        }
        if (!isPair) {
            throw new IOException(
                    "the file " + key + " (apiServerConfig.tls) is not the key of the certificate in " + certificate);
        }
    }

    /** Whether the certificate verifies a signature by the key. */
    private static boolean isPair(KeyManager[] managers) throws GeneralSecurityException {
        for (KeyManager manager : managers) {
            if (!(manager instanceof X509KeyManager keys)) {
                continue;
            }
            for (Map.Entry<String, String> algorithm : SIGNATURES.entrySet()) {
                String[] aliases = keys.getServerAliases(algorithm.getKey(), null);
                if (aliases != null && aliases.length > 0) {
                    return isPair(
                            keys.getCertificateChain(aliases[0])[0],
                            keys.getPrivateKey(aliases[0]),
                            algorithm.getValue());
                }
            }
        }
        throw new GeneralSecurityException("there is no RSA or EC key");
    }

    private static boolean isPair(X509Certificate certificate, PrivateKey key, String algorithm)
            throws GeneralSecurityException {
        byte[] probe = {1, 2, 3, 4};
        Signature signature = Signature.getInstance(algorithm);
        try {
            signature.initSign(key);
        } catch (InvalidKeyException e) {
            return false; // a key of another algorithm
        }
        signature.update(probe);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(probe);
        return signature.verify(signed);
    }

    private static Buffer read(Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new IOException("the file " + file + " (apiServerConfig.tls) cannot be read");
        }
        if (Files.size(file) > MAX_BYTES) {
            throw new IOException("the file " + file + " (apiServerConfig.tls) has more than " + MAX_BYTES + " bytes");
        }
        return Buffer.buffer(Files.readAllBytes(file));
    }
}
