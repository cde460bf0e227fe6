package io.godwit.cluster.trust;

import io.godwit.cluster.config.ClusterConfig;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.ThreadLocalRandom;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority for tests. Makes the files of nodes. */
public final class TestAuthority {
    static final Duration AN_HOUR = Duration.ofHours(1);
    static final Duration EXPIRED = Duration.ofMinutes(-1);

    private final Path directory;
    private final X500Name name;
    private final KeyPair keys = keyPair();
    private final Path file;

    public TestAuthority(Path directory, String name) {
        this.directory = directory;
        this.name = new X500Name("CN=" + name);
        this.file = write(name + "-ca.pem", certificate(this.name, keys, AN_HOUR, "", true));
    }

    Path file() {
        return file;
    }

    /** @param valid period from now; negative for an expired certificate */
    public ClusterConfig.TlsFiles node(String node, Duration valid, String dnsName, String requiredName) {
        KeyPair pair = keyPair();
        X509Certificate certificate = certificate(new X500Name("CN=" + node), pair, valid, dnsName, false);
        return new ClusterConfig.TlsFiles(
                write(node + ".pem", certificate), write(node + ".key", pair.getPrivate()), file, requiredName);
    }

    public ClusterConfig.TlsFiles node(String node) {
        return node(node, AN_HOUR, "", "");
    }

    private X509Certificate certificate(
            X500Name subject, KeyPair pair, Duration valid, String dnsName, boolean isAuthority) {
        try {
            Instant now = Instant.now();
            JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    name,
                    BigInteger.valueOf(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE)),
                    Date.from(now.minus(Duration.ofMinutes(5))),
                    Date.from(now.plus(valid)),
                    subject,
                    pair.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority));
            if (!dnsName.isEmpty()) {
                builder.addExtension(
                        Extension.subjectAlternativeName,
                        false,
                        new GeneralNames(new GeneralName(GeneralName.dNSName, dnsName)));
            }
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
        } catch (GeneralSecurityException | OperatorCreationException | CertIOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyPair keyPair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private Path write(String fileName, Object content) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter pem = new JcaPEMWriter(text)) {
            pem.writeObject(content instanceof PrivateKey key ? new JcaPKCS8Generator(key, null) : content);
            pem.flush();
            return Files.writeString(directory.resolve(fileName), text.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
