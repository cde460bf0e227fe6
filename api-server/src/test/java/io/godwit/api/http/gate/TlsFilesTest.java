package io.godwit.api.http.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsFilesTest {
    @TempDir
    private Path directory;

    private final Vertx vertx = Vertx.vertx();
    private boolean hasChanged;

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private boolean takeChange() {
        boolean before = hasChanged;
        hasChanged = false;
        return before;
    }

    private TlsFiles files() {
        return new TlsFiles(
                vertx,
                directory.resolve("crt"),
                directory.resolve("key"),
                null,
                HttpLimits.DEFAULTS,
                file -> this::takeChange);
    }

    private static KeyPair keys(String algorithm) throws Exception {
        return KeyPairGenerator.getInstance(algorithm).generateKeyPair();
    }

    private void writeKey(KeyPair keys) throws Exception {
        Files.writeString(
                directory.resolve("key"), pem("PRIVATE KEY", keys.getPrivate().getEncoded()));
    }

    private void writeCertificate(KeyPair keys) throws Exception {
        X500Name name = new X500Name("CN=localhost");
        Instant now = Instant.now();
        String algorithm = keys.getPrivate().getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA";
        byte[] der = new JcaX509v3CertificateBuilder(
                        name,
                        BigInteger.ONE,
                        Date.from(now.minus(Duration.ofDays(1))),
                        Date.from(now.plus(Duration.ofDays(1))),
                        name,
                        keys.getPublic())
                .build(new JcaContentSignerBuilder(algorithm).build(keys.getPrivate()))
                .getEncoded();
        Files.writeString(directory.resolve("crt"), pem("CERTIFICATE", der));
    }

    private static String pem(String kind, byte[] der) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(der)
                + "\n-----END " + kind + "-----\n";
    }

    /** Nobody changes the files again when they become readable. */
    @Test
    void filesThatCouldNotBeReadAreReadAgain() throws Exception {
        KeyPair keys = keys("EC");
        writeCertificate(keys);
        writeKey(keys);
        TlsFiles files = files();
        files.options();
        assertThat(files.haveChanged()).isFalse();

        Files.delete(directory.resolve("key"));
        hasChanged = true;
        assertThat(files.haveChanged()).isTrue();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(files::options).isInstanceOf(IOException.class).hasMessageContaining("key");
            assertThat(files.haveChanged()).isTrue();
        }
        writeKey(keys);
        files.options();
        assertThat(files.haveChanged()).isFalse();
    }

    /** As while the two files are being replaced, or after a mistake. */
    @Test
    void aKeyOfAnotherCertificateIsNotTaken() throws Exception {
        TlsFiles files = files();
        KeyPair first = keys("RSA");
        writeCertificate(first);
        for (String algorithm : new String[] {"RSA", "EC"}) {
            writeKey(keys(algorithm));
            assertThatThrownBy(files::options)
                    .as(algorithm)
                    .isInstanceOf(IOException.class)
                    .hasMessageMatching(".*(is not the key of the certificate|private key algorithm does not match).*");
            assertThat(files.haveChanged()).as("it is tried again").isTrue();
        }
        writeKey(first);
        assertThat(files.options().getKeyCertOptions()).isNotNull();
        assertThat(files.haveChanged()).isFalse();
    }

    @Test
    void anythingElseThanACertificateIsNotTaken() throws Exception {
        writeKey(keys("EC"));
        Files.writeString(directory.resolve("crt"), "broken");
        assertThatThrownBy(files()::options)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("crt")
                .hasMessageContaining("cannot be used");
    }
}
