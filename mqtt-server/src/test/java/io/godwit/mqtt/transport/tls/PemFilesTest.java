package io.godwit.mqtt.transport.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.mqtt.certificates.TestAuthority.Issued;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateKey;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.util.io.pem.PemObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PemFilesTest {
    @TempDir
    Path directory;

    private final TestAuthority authority = new TestAuthority("root");

    /**
     * {@code BEGIN PRIVATE KEY}, and the older forms of OpenSSL: {@code BEGIN RSA PRIVATE KEY} and
     * {@code BEGIN EC PRIVATE KEY}.
     */
    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC"})
    void keysAreReadInTheirNewAndTheirOldForm(String algorithm) throws Exception {
        Issued issued = authority.issue("CN=server", algorithm);
        Path old = TestAuthority.writePem(directory.resolve("old.key"), oldForm(issued.key()));
        Path pkcs8 = TestAuthority.writeKey(directory.resolve("new.key"), issued);

        assertThat(Files.readString(old)).contains("BEGIN " + algorithm + " PRIVATE KEY");
        assertThat(secret(PemFiles.privateKey(old))).isEqualTo(secret(issued.key()));
        assertThat(Files.readString(pkcs8)).contains("BEGIN PRIVATE KEY");
        assertThat(PemFiles.privateKey(pkcs8)).isEqualTo(issued.key());
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
    void aChainIsReadInItsOrderAndTextAroundItIsIgnored() throws Exception {
        Issued issued = authority.issue("CN=server");
        Path leaf = TestAuthority.writePem(directory.resolve("leaf"), issued.certificate());
        Path root = TestAuthority.writePem(directory.resolve("root"), authority.certificate());
        Path chain = Files.writeString(
                directory.resolve("chain"),
                "# mine\n" + Files.readString(leaf) + "subject=\n" + Files.readString(root));

        assertThat(PemFiles.certificates(chain)).containsExactly(issued.certificate(), authority.certificate());
    }

    @Test
    void errorsNameTheFileAndWhatIsWrong() throws Exception {
        Path absent = directory.resolve("absent.pem");
        Path text = Files.writeString(directory.resolve("text.pem"), "hello");
        Path damaged = Files.writeString(
                directory.resolve("damaged.pem"), "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
        Path encrypted = Files.writeString(
                directory.resolve("encrypted.key"),
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n");

        assertThatThrownBy(() -> PemFiles.certificates(absent))
                .isInstanceOf(IOException.class)
                .hasMessage("no such file: " + absent);
        assertThatThrownBy(() -> PemFiles.certificates(text)).hasMessage(text + " has no CERTIFICATE");
        assertThatThrownBy(() -> PemFiles.privateKey(text)).hasMessage(text + " has no private key");
        assertThatThrownBy(() -> PemFiles.certificates(damaged)).hasMessageStartingWith(damaged + " has a certificate");
        assertThatThrownBy(() -> PemFiles.privateKey(encrypted)).hasMessageStartingWith(encrypted + " is encrypted");
        assertThatThrownBy(() -> PemFiles.certificates(directory)).hasMessageContaining(directory.toString());
    }
}
