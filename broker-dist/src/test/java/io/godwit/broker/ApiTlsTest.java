package io.godwit.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.check.ConfigLoader;
import io.godwit.broker.check.StartCheck;
import io.godwit.broker.effective.BrokerConfig;
import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.mqtt.certificates.TestAuthority.Issued;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The API of a whole broker over TLS: certificates of callers, and files that change. */
class ApiTlsTest {
    /** Certificates have the most specific part of a name last, whereas texts have it first (RFC 2253). */
    private final TestAuthority authority = new TestAuthority("ours");

    @TempDir
    private Path directory;

    private Broker broker;
    private String url = "";

    @BeforeEach
    void start() throws Exception {
        TestAuthority.write(directory, "server", authority.issue("CN=localhost"));
        TestAuthority.writePem(directory.resolve("ca.crt"), authority.certificate());
        Files.writeString(directory.resolve("tokens"), "ops:viewer::subject:CN=ops,O=birds\n");
        Path file = Files.writeString(directory.resolve("standalone.yml"), """
                mqttServerConfig: {tcpListener: {host: 127.0.0.1, port: 0}}
                apiServerConfig:
                  port: 0
                  tokensFile: tokens
                  checkAnswers: true
                  tls: {certFile: server.crt, keyFile: server.key, clientCaFile: ca.crt}
                """);
        BrokerConfig config = ConfigLoader.load(file, Map.of());
        assertThat(StartCheck.errors(config, directory.resolve("plugins"))).isEmpty();
        broker = new Broker(config, Files.createDirectories(directory.resolve("data")), directory.resolve("plugins"));
        url = broker.start().stream()
                .filter(line -> line.startsWith("API on https://"))
                .map(line -> line.substring("API on ".length()))
                .findFirst()
                .orElseThrow();
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private static HttpClient client(TestAuthority trusted, @Nullable Issued own) {
        return HttpClient.newBuilder().sslContext(trusted.clientContext(own)).build();
    }

    private HttpResponse<String> nodes(HttpClient client, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + "/api/v1/nodes"));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void aCertificateHasTheRoleOfItsSubject() throws Exception {
        HttpClient ops = client(authority, authority.issue("O=birds,CN=ops"));
        HttpResponse<String> answer = nodes(ops);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Strict-Transport-Security")).isPresent();
        HttpRequest change = HttpRequest.newBuilder(URI.create(url + "/api/v1/log-levels/io.godwit.x"))
                .PUT(HttpRequest.BodyPublishers.ofString("{\"level\":\"info\"}"))
                .header("Content-Type", "application/json")
                .build();
        assertThat(ops.send(change, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(403);
        assertThat(nodes(ops, "Authorization", "Bearer wrong").statusCode()).isEqualTo(401);
        assertThat(nodes(client(authority, authority.issue("CN=ops"))).statusCode())
                .isEqualTo(401);
        assertThat(nodes(client(authority, null)).statusCode()).isEqualTo(401);
    }

    @Test
    void aCertificateOfAnotherAuthorityIsRefused() {
        // of the same name: a client shows no certificate of an authority that the server does not name
        Issued forged = new TestAuthority("ours").issue("O=birds,CN=ops");
        assertThatThrownBy(() -> nodes(client(authority, forged))).isInstanceOf(IOException.class);
    }

    @Test
    void changedCertificatesAreTakenAndBrokenOnesAreNot() throws Exception {
        HttpClient before = client(authority, null);
        assertThat(nodes(before).statusCode()).isEqualTo(401);
        Files.writeString(directory.resolve("server.crt"), "broken");
        TestAuthority next = new TestAuthority("next");
        Await.holds("the old one serves", Duration.ofMillis(2_500), () -> isShown(authority));
        TestAuthority.write(directory, "server", next.issue("CN=localhost"));
        Await.until("the next one serves", () -> isShown(next));
        assertThat(nodes(client(next, null)).statusCode()).isEqualTo(401);
    }

    /**
     * Whether the server presents a certificate of that authority. Closes its connection, as the number of connections
     * of an address is limited.
     */
    private boolean isShown(TestAuthority trusted) throws IOException {
        SSLSocketFactory sockets = trusted.clientContext(null).getSocketFactory();
        try (SSLSocket socket =
                (SSLSocket) sockets.createSocket("127.0.0.1", URI.create(url).getPort())) {
            socket.setSoTimeout(20_000);
            socket.startHandshake();
            return true;
        } catch (SSLHandshakeException e) {
            return false;
        }
    }
}
