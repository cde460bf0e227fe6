package io.godwit.api.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.auth.Principal;
import io.godwit.api.auth.Tokens;
import io.godwit.api.http.Workers;
import io.vertx.core.http.HttpServerRequest;
import java.lang.reflect.Proxy;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLSession;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuthenticatorTest {
    /** Valid for a day up to that time. */
    private static X509Certificate until(Instant end) throws Exception {
        KeyPair keys = KeyPairGenerator.getInstance("EC").generateKeyPair();
        X500Name name = new X500Name("CN=ops");
        return new JcaX509CertificateConverter()
                .getCertificate(new JcaX509v3CertificateBuilder(
                                name,
                                BigInteger.ONE,
                                Date.from(end.minus(Duration.ofDays(1))),
                                Date.from(end),
                                name,
                                keys.getPublic())
                        .build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
    }

    private static <T> T proxy(Class<T> type, java.lang.reflect.InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(AuthenticatorTest.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** On a connection whose handshake was while the certificate was valid. */
    private static HttpServerRequest with(X509Certificate certificate) {
        SSLSession session = proxy(SSLSession.class, (proxy, method, args) -> {
            assertThat(method.getName()).isEqualTo("getPeerCertificates");
            return new Certificate[] {certificate};
        });
        return proxy(HttpServerRequest.class, (proxy, method, args) -> switch (method.getName()) {
            case "getHeader" -> null;
            case "isSSL" -> true;
            case "sslSession" -> session;
            default -> throw new AssertionError(method.getName());
        });
    }

    @Test
    void aCertificateCountsUntilItsEnd(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("tokens"), "ops:viewer::subject:CN=ops\n");
        Tokens tokens = Tokens.load(file, path -> () -> false, Optional.empty());
        try (Workers workers = new Workers()) {
            Authenticator authenticator = new Authenticator(tokens, connections -> List.of(), workers);
            Instant now = Instant.now();
            assertThat(authenticator.ifKnown(with(until(now.plus(Duration.ofHours(1))))))
                    .map(Principal::name)
                    .contains("ops");
            HttpServerRequest late = with(until(now.minusSeconds(1)));
            assertThat(authenticator.ifKnown(late)).isEmpty();
            assertThat(authenticator.hasCredentials(late)).isFalse();
        }
    }
}
