package io.godwit.common.pem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.cert.X509v2CRLBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PemFileTest {
    private static final X500Name NAME = new X500Name("CN=server");
    private static final String ENCRYPTED = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIIB
            -----END ENCRYPTED PRIVATE KEY-----
            """;
    private static final String ENCRYPTED_OLDER = """
            -----BEGIN RSA PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF

            MIIB
            -----END RSA PRIVATE KEY-----
            """;
    private static final String CUT = "-----BEGIN CERTIFICATE-----\nMIIB\n";

    @TempDir
    Path directory;

    /**
     * {@code BEGIN PRIVATE KEY}, and the older forms of OpenSSL: {@code BEGIN RSA PRIVATE KEY} and
     * {@code BEGIN EC PRIVATE KEY}.
     */
    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC"})
    void keysAreReadInTheirNewAndTheirOldForm(String algorithm) throws Exception {
        PrivateKey key = pair(algorithm).getPrivate();
        Path old = file("old.key", pem(oldForm(key)));
        Path pkcs8 = file("new.key", pem(new JcaPKCS8Generator(key, null)));

        assertThat(Files.readString(old)).contains("BEGIN " + algorithm + " PRIVATE KEY");
        assertThat(secret(PemFile.read(old).privateKey())).isEqualTo(secret(key));
        assertThat(Files.readString(pkcs8)).contains("BEGIN PRIVATE KEY");
        assertThat(PemFile.read(pkcs8).privateKey()).isEqualTo(key);
        assertThat(PemFile.read(pkcs8).pkcs8Key()).isEqualTo(key);
        assertThatThrownBy(() -> PemFile.read(old).pkcs8Key())
                .hasMessageStartingWith(old + " has an " + algorithm + " PRIVATE KEY, expected PKCS #8")
                .hasMessageContaining("openssl pkcs8 -topk8");
    }

    private static BigInteger secret(PrivateKey key) {
        return key instanceof ECPrivateKey ec ? ec.getS() : ((RSAPrivateKey) key).getPrivateExponent();
    }

    private static Object oldForm(PrivateKey key) throws IOException {
        return key instanceof ECPrivateKey ec
                ? new PemObject(
                        "EC PRIVATE KEY",
                        new org.bouncycastle.asn1.sec.ECPrivateKey(256, ec.getS(), SECObjectIdentifiers.secp256r1)
                                .getEncoded())
                : key;
    }

    @Test
    void certificatesAreReadInTheirOrderAndTextAroundThemIsSkipped() throws Exception {
        X509Certificate leaf = certificate(pair("EC"), 1);
        X509Certificate root = certificate(pair("EC"), 2);
        Path chain = file("chain", "# mine\n" + pem(leaf) + "subject=\n" + pem(root));

        assertThat(PemFile.read(chain).certificates()).containsExactly(leaf, root);
        assertThat(PemFile.readSmall(chain).certificates()).containsExactly(leaf, root);
    }

    @Test
    void revocationListsAreRead() throws Exception {
        KeyPair pair = pair("EC");
        X509v2CRLBuilder builder = new X509v2CRLBuilder(NAME, Date.from(Instant.now()));
        builder.addCRLEntry(BigInteger.TEN, Date.from(Instant.now()), CRLReason.keyCompromise);
        Path file = file("crl", pem(builder.build(signer(pair))));

        assertThat(PemFile.read(file).revocationLists())
                .singleElement()
                .satisfies(list -> assertThat(((X509CRL) list).getRevokedCertificate(BigInteger.TEN))
                        .isNotNull());
    }

    @Test
    void publicKeysAreReadAlsoFromCertificates() throws Exception {
        KeyPair first = pair("RSA");
        KeyPair second = pair("EC");
        KeyPair third = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        Path keys = file(
                "keys",
                pem(first.getPublic())
                        + pem(certificate(second, 1))
                        + pem(new PemObject("PUBLIC KEY", third.getPublic().getEncoded())));
        Path secret = file("secret", pem(new JcaPKCS8Generator(first.getPrivate(), null)));

        assertThat(PemFile.readSmall(keys).publicKeys())
                .containsExactly(first.getPublic(), second.getPublic(), third.getPublic());
        assertThatThrownBy(() -> PemFile.readSmall(secret).publicKeys())
                .hasMessage(secret + " has a PRIVATE KEY, expected are PUBLIC KEY and CERTIFICATE");
    }

    @Test
    void errorsNameTheFileAndWhatIsWrong() throws Exception {
        Path absent = directory.resolve("absent.pem");
        PemFile text = PemFile.read(file("text.pem", "hello"));
        PemFile damaged = PemFile.read(file(
                "damaged.pem",
                block("CERTIFICATE", "MIIB") + block("PRIVATE KEY", "MIIB") + block("X509 CRL", "MIIB")));
        PemFile noBase64 = PemFile.read(file("odd.pem", block("PRIVATE KEY", "A")));
        PemFile noCurve = PemFile.read(file("ec.pem", block("EC PRIVATE KEY", "MAMC")));

        assertThatThrownBy(() -> PemFile.read(absent))
                .isInstanceOf(IOException.class)
                .hasMessage("no such file: " + absent);
        assertThatThrownBy(() -> PemFile.read(directory)).hasMessageContaining(directory.toString());
        assertThatThrownBy(text::certificates).hasMessage(directory + "/text.pem has no CERTIFICATE");
        assertThatThrownBy(text::revocationLists).hasMessage(directory + "/text.pem has no X509 CRL");
        assertThatThrownBy(text::privateKey).hasMessage(directory + "/text.pem has no private key");
        assertThatThrownBy(text::publicKeys).hasMessage(directory + "/text.pem has no public key");
        assertThatThrownBy(damaged::certificates)
                .hasMessageStartingWith(directory + "/damaged.pem has a certificate that cannot be read");
        assertThatThrownBy(damaged::privateKey)
                .hasMessageStartingWith(directory + "/damaged.pem has a private key that is damaged");
        assertThatThrownBy(damaged::revocationLists)
                .hasMessageStartingWith(directory + "/damaged.pem has a revocation list that cannot be read");
        assertThatThrownBy(noBase64::privateKey).hasMessageStartingWith(directory + "/odd.pem is not valid PEM");
        assertThatThrownBy(noCurve::privateKey)
                .hasMessageStartingWith(directory + "/ec.pem has an EC key that is damaged");
    }

    @ParameterizedTest
    @ValueSource(strings = {ENCRYPTED, ENCRYPTED_OLDER})
    void anEncryptedKeyIsRefusedAsSuch(String pem) throws Exception {
        PemFile encrypted = PemFile.read(file("encrypted.key", pem));

        assertThatThrownBy(encrypted::privateKey).hasMessageContaining("encrypted.key is encrypted");
        assertThatThrownBy(encrypted::pkcs8Key).hasMessageContaining("encrypted.key is encrypted");
    }

    @Test
    void aBlockWithoutAnEndIsSkippedAndRefusedInASmallFile() throws Exception {
        X509Certificate whole = certificate(pair("EC"), 1);
        Path before = file("before.pem", CUT + pem(whole));
        Path after = file("after.pem", pem(whole) + CUT);

        assertThat(PemFile.read(before).certificates()).containsExactly(whole);
        assertThat(PemFile.read(after).certificates()).containsExactly(whole);
        assertThatThrownBy(() -> PemFile.readSmall(before)).hasMessage(before + ": a PEM block has no end");
        assertThatThrownBy(() -> PemFile.readSmall(after)).hasMessage(after + ": a PEM block has no end");
    }

    @Test
    void aSmallFileHasLimits() throws Exception {
        Path large = file("large.pem", "x".repeat((1 << 20) + 1));
        Path many = file("many.pem", block("A", "").repeat(1_001));

        assertThatThrownBy(() -> PemFile.readSmall(large)).hasMessage(large + " is larger than 1048576 bytes");
        assertThatThrownBy(() -> PemFile.readSmall(many)).hasMessage(many + ": too many PEM blocks");
        assertThatThrownBy(() -> PemFile.read(large).certificates()).hasMessage(large + " has no CERTIFICATE");
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    private static String block(String label, String body) {
        return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
    }

    private static String pem(Object content) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(content);
        }
        return text.toString();
    }

    private static KeyPair pair(String algorithm) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(algorithm.equals("EC") ? 256 : 2048);
        return generator.generateKeyPair();
    }

    private static X509Certificate certificate(KeyPair pair, int serial) throws Exception {
        Instant now = Instant.now();
        return new JcaX509CertificateConverter()
                .getCertificate(new JcaX509v3CertificateBuilder(
                                NAME,
                                BigInteger.valueOf(serial),
                                Date.from(now),
                                Date.from(now.plus(Duration.ofHours(1))),
                                NAME,
                                pair.getPublic())
                        .build(signer(pair)));
    }

    private static ContentSigner signer(KeyPair pair) throws Exception {
        return new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate());
    }
}
