package io.godwit.mqtt.certificates;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v2CRLBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemGenerationException;
import org.jspecify.annotations.Nullable;

/** A certificate authority for tests: certificates for an hour, with EC keys, and their files. */
public final class TestAuthority {
    private final Issued root;

    /** A certificate with its key. */
    public record Issued(X509Certificate certificate, PrivateKey key) {}

    public TestAuthority(String name) {
        KeyPair pair = keyPair("EC");
        X500Name subject = new X500Name("CN=" + name);
        root = new Issued(sign(subject, subject, pair, pair.getPrivate(), true), pair.getPrivate());
    }

    public X509Certificate certificate() {
        return root.certificate();
    }

    /** A certificate for 127.0.0.1, localhost, or a client; {@code subject} as in {@code CN=name,O=organisation}. */
    public Issued issue(String subject) {
        return issue(subject, "EC");
    }

    /** @param algorithm EC or RSA */
    public Issued issue(String subject, String algorithm) {
        KeyPair pair = keyPair(algorithm);
        X500Name issuer = X500Name.getInstance(
                root.certificate().getSubjectX500Principal().getEncoded());
        return new Issued(sign(issuer, new X500Name(subject), pair, root.key(), false), pair.getPrivate());
    }

    private static KeyPair keyPair(String algorithm) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            generator.initialize(algorithm.equals("EC") ? 256 : 2048);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static X509Certificate sign(
            X500Name issuer, X500Name subject, KeyPair pair, PrivateKey signingKey, boolean isAuthority) {
        try {
            Instant now = Instant.now();
            JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    issuer,
                    BigInteger.valueOf(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE)),
                    Date.from(now.minus(Duration.ofMinutes(5))),
                    Date.from(now.plus(Duration.ofHours(1))),
                    subject,
                    pair.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(isAuthority));
            if (isAuthority) {
                builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            } else {
                builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName[] {
                    new GeneralName(
                            GeneralName.iPAddress,
                            InetAddress.getLoopbackAddress().getHostAddress()),
                    new GeneralName(GeneralName.dNSName, "localhost")
                }));
            }
            return new JcaX509CertificateConverter().getCertificate(builder.build(signer(signingKey)));
        } catch (GeneralSecurityException | OperatorCreationException | CertIOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static ContentSigner signer(PrivateKey key) throws OperatorCreationException {
        return new JcaContentSignerBuilder("SHA256withECDSA").build(key);
    }

    /** Writes the revocation list. */
    public Path writeRevocations(Path file, List<Issued> revoked) {
        try {
            Instant now = Instant.now();
            X509v2CRLBuilder builder = new X509v2CRLBuilder(
                    X500Name.getInstance(
                            root.certificate().getSubjectX500Principal().getEncoded()),
                    Date.from(now.minus(Duration.ofMinutes(5))));
            builder.setNextUpdate(Date.from(now.plus(Duration.ofHours(1))));
            for (Issued each : revoked) {
                builder.addCRLEntry(each.certificate().getSerialNumber(), Date.from(now), CRLReason.keyCompromise);
            }
            return writePem(file, builder.build(signer(root.key())));
        } catch (OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes {@code NAME.crt} and {@code NAME.key} into {@code directory}. */
    public static void write(Path directory, String name, Issued issued) {
        writePem(directory.resolve(name + ".crt"), issued.certificate());
        writeKey(directory.resolve(name + ".key"), issued);
    }

    /** Writes the key as PKCS #8. */
    public static Path writeKey(Path file, Issued issued) {
        try {
            return writePem(file, new JcaPKCS8Generator(issued.key(), null));
        } catch (PemGenerationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes anything that a {@link JcaPEMWriter} can write, atomically: a reader sees the old file or the new one. */
    public static Path writePem(Path file, Object content) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter pem = new JcaPEMWriter(text)) {
            pem.writeObject(content);
            pem.flush();
            Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".next"), text.toString());
            return Files.move(
                    next,
                    file,
                    java.nio.file.StandardCopyOption.ATOMIC_MOVE,
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The TLS of a client that trusts this authority and shows {@code own}, or nothing. */
    public SSLContext clientContext(@Nullable Issued own) {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry("root", root.certificate());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own == null ? null : keyManagers(own).getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What a client shows. */
    public static KeyManagerFactory keyManagers(Issued own) {
        try {
            char[] password = "test".toCharArray();
            KeyStore keys = KeyStore.getInstance(KeyStore.getDefaultType());
            keys.load(null, null);
            keys.setKeyEntry("own", own.key(), password, new X509Certificate[] {own.certificate()});
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(keys, password);
            return factory;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
