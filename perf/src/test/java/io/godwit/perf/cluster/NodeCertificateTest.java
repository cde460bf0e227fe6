package io.godwit.perf.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeCertificateTest {
    @TempDir
    private Path directory;

    @Test
    void keyAndCertificateBelongTogetherAndNameTheLoopbackAddress() throws Exception {
        NodeCertificate made = NodeCertificate.make(directory);

        X509Certificate certificate;
        try (InputStream in = Files.newInputStream(made.certificateFile())) {
            certificate =
                    (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
        assertThat(certificate.getSubjectAlternativeNames()).contains(List.of(7, "127.0.0.1"), List.of(2, "localhost"));
        byte[] text = "signed".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(key(made.keyFile()));
        signature.update(text);
        byte[] signed = signature.sign();
        signature.initVerify(certificate);
        signature.update(text);
        assertThat(signature.verify(signed)).isTrue();
    }

    private static PrivateKey key(Path pem) throws Exception {
        String encoded = Files.readString(pem).replaceAll("-----[^-]*-----", "").replace("\n", "");
        return KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(encoded)));
    }

    @Test
    void nobodyElseMayReadTheKeyAndNothingElseIsLeft() throws Exception {
        NodeCertificate made = NodeCertificate.make(directory);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made.keyFile())))
                .isEqualTo("rw-------");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).containsExactlyInAnyOrder(made.keyFile(), made.certificateFile());
        }
    }
}
