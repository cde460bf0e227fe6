package io.godwit.mqtt.transport.tls;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of one listener. All files are PEM.
 *
 * @param certFile the server's certificate, then those between it and its root
 * @param keyFile the private key of the first of them, not encrypted: PKCS #8, or the older forms of RSA and EC keys
 * @param trustCertsFile the authorities of accepted client certificates; null only when no client certificate is
 *     requested
 * @param crlFile revocation lists, one for each authority in the chain of a client's certificate; null for no check
 * @param protocols names such as TLSv1.3; at least one
 * @param ciphers names as in the JDK; empty for the provider's defaults
 * @param userName the part of a client's certificate that becomes the user name
 */
public record TlsConfig(
        Path certFile,
        Path keyFile,
        @Nullable Path trustCertsFile,
        ClientCertificate clientCertificate,
        @Nullable Path crlFile,
        List<String> protocols,
        List<String> ciphers,
        UserName userName,
        Engine engine) {

    /** The valid names in {@link #protocols}. */
    public static final List<String> PROTOCOLS = List.of("TLSv1.2", "TLSv1.3");

    public TlsConfig {
        protocols = List.copyOf(protocols);
        ciphers = List.copyOf(ciphers);
        if (protocols.isEmpty() || !PROTOCOLS.containsAll(protocols)) {
            throw new IllegalArgumentException("protocols must be out of " + PROTOCOLS + ", was " + protocols);
        }
        if (clientCertificate != ClientCertificate.NONE && trustCertsFile == null) {
            throw new IllegalArgumentException("client certificates need trusted authorities");
        }
    }

    /** Every file that is read. */
    List<Path> files() {
        return Stream.of(certFile, keyFile, trustCertsFile, crlFile)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Whether clients must show a certificate. */
    public enum ClientCertificate {
        NONE,
        OPTIONAL,
        REQUIRE
    }

    /** The part of a client's certificate that becomes the user name. */
    public enum UserName {
        NONE,
        /** The whole subject, as RFC 2253 writes it. */
        SUBJECT,
        /** The subject's common name. */
        CN
    }

    /** The TLS implementation. */
    public enum Engine {
        /** BoringSSL where it loads, else the JDK. */
        AUTO,
        BORINGSSL,
        JDK
    }
}
