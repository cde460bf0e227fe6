package io.godwit.broker.auth.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.godwit.mqtt.certificates.TestAuthority;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service over TLS that requires a client certificate. */
class RemoteTlsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final TestAuthority AUTHORITY = new TestAuthority("services");

    @TempDir
    Path directory;

    private HttpsServer server;

    @BeforeEach
    void start() throws IOException {
        SSLContext context = AUTHORITY.clientContext(AUTHORITY.issue("CN=service"));
        server = HttpsServer.create(new InetSocketAddress(0), 0); // 127.0.0.2 reaches it too
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters wanted = context.getDefaultSSLParameters();
                wanted.setNeedClientAuth(true);
                parameters.setSSLParameters(wanted);
            }
        });
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write("right".getBytes(StandardCharsets.UTF_8));
            }
        });
        server.start();
        TestAuthority.writePem(directory.resolve("services.pem"), AUTHORITY.certificate());
        TestAuthority.writePem(directory.resolve("others.pem"), new TestAuthority("others").certificate());
        TestAuthority.write(directory, "broker", AUTHORITY.issue("CN=broker"));
        TestAuthority.write(directory, "stranger", new TestAuthority("strange").issue("CN=broker"));
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private RemoteTls tls(@Nullable String trusted, @Nullable String own) {
        return new RemoteTls(
                trusted == null ? null : directory.resolve(trusted),
                own == null ? null : directory.resolve(own + ".crt"),
                own == null ? null : directory.resolve(own + ".key"));
    }

    private String ask(RemoteTls tls, String host) throws Exception {
        URI url = URI.create("https://" + host + ":" + server.getAddress().getPort() + "/");
        try (BoundedHttp http = new BoundedHttp("test", tls.context(), TIMEOUT)) {
            BoundedHttp.Answer answer =
                    http.send(HttpRequest.newBuilder(url).build(), TIMEOUT, 100).get(90, TimeUnit.SECONDS);
            return new String(answer.body(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void bothSidesShowTheirCertificates() throws Exception {
        assertThat(ask(tls("services.pem", "broker"), "127.0.0.1")).isEqualTo("right");
    }

    @Test
    void anotherServiceIsNotAsked() {
        for (String trusted : new String[] {"others.pem", null}) {
            assertThatThrownBy(() -> ask(tls(trusted, "broker"), "127.0.0.1"))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(SSLHandshakeException.class);
        }
    }

    /** Its certificate is for 127.0.0.1 and localhost. */
    @Test
    void theNameInTheCertificateIsChecked() {
        assertThatThrownBy(() -> ask(tls("services.pem", "broker"), "127.0.0.2"))
                .hasCauseInstanceOf(SSLHandshakeException.class);
    }

    @Test
    void theServiceSeesWhoAsks() {
        assertThatThrownBy(() -> ask(tls("services.pem", null), "127.0.0.1")).hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> ask(tls("services.pem", "stranger"), "127.0.0.1"))
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void filesThatCannotBeUsedAreNamed() throws Exception {
        Files.writeString(directory.resolve("empty.pem"), "");
        assertThatThrownBy(() -> tls("empty.pem", null).context())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("empty.pem");
        assertThatThrownBy(() -> tls("gone.pem", null).context()).hasMessageContaining("gone.pem");
        Files.writeString(directory.resolve("half.pem"), "-----BEGIN CERTIFICATE-----\nAAAA");
        assertThatThrownBy(() -> tls("half.pem", null).context()).hasMessageContaining("has no end");
        Files.writeString(
                directory.resolve("old.key"), "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n");
        Files.copy(directory.resolve("broker.crt"), directory.resolve("old.crt"));
        assertThatThrownBy(() -> tls(null, "old").context()).hasMessageContainingAll("old.key", "pkcs8");
    }
}
