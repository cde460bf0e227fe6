package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.mqtt.certificates.TestAuthority.Issued;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.tenant.CertificatePart;
import io.godwit.mqtt.tenant.TenantConfig;
import io.godwit.mqtt.tenant.TenantSource;
import io.godwit.mqtt.tenant.UnknownTenant;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.tls.TlsConfig;
import io.godwit.mqtt.transport.tls.TlsConfig.ClientCertificate;
import io.godwit.mqtt.transport.tls.TlsConfig.Engine;
import io.godwit.mqtt.transport.tls.TlsConfig.UserName;
import io.godwit.plugin.event.BrokerEvent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tenant named by the TLS handshake, with each engine. */
class TenantsOverTlsTest {
    private static final TestAuthority AUTHORITY = new TestAuthority("root");
    private static final Issued BIRD = AUTHORITY.issue("CN=lamp,O=birds");

    @TempDir
    static Path directory;

    @BeforeAll
    static void writeFiles() {
        TestAuthority.write(directory, "server", AUTHORITY.issue("CN=server"));
        TestAuthority.writePem(directory.resolve("root.crt"), AUTHORITY.certificate());
    }

    private static TestNode node(Engine engine) {
        TlsConfig tls = new TlsConfig(
                directory.resolve("server.crt"),
                directory.resolve("server.key"),
                directory.resolve("root.crt"),
                ClientCertificate.OPTIONAL,
                null,
                TlsConfig.PROTOCOLS,
                List.of(),
                UserName.NONE,
                engine);
        ListenerConfig listener = new ListenerConfig(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), TestNode.LIMITS, tls, null, List.of());
        TenantConfig tenants = new TenantConfig(
                List.of(TenantSource.SNI, TenantSource.CERTIFICATE),
                true,
                false,
                UnknownTenant.ACCEPT,
                "/",
                "mqtt.example.org",
                CertificatePart.SUBJECT_O,
                null);
        return new TestNode(tenants, listener);
    }

    private static ReasonCode connect(TestNode node, String protocol, @Nullable String host, @Nullable Issued own)
            throws IOException {
        try (SSLSocket socket = (SSLSocket) AUTHORITY
                        .clientContext(own)
                        .getSocketFactory()
                        .createSocket(node.address.getAddress(), node.address.getPort());
                TestClient client = new TestClient(socket, 5)) {
            socket.setEnabledProtocols(new String[] {protocol});
            if (host != null) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setServerNames(List.of(new SNIHostName(host)));
                socket.setSSLParameters(parameters);
            }
            return client.connect(new Connect(5, true, 0, "c", null, null, null))
                    .reasonCode();
        }
    }

    private static String tenantOfLast(TestNode node) {
        return node.events.stream()
                .filter(BrokerEvent.ClientConnected.class::isInstance)
                .map(event -> ((BrokerEvent.ClientConnected) event).client())
                .reduce((first, last) -> last)
                .orElseThrow()
                .tenant()
                .value();
    }

    @ParameterizedTest
    @CsvSource({"JDK, TLSv1.2", "JDK, TLSv1.3", "BORINGSSL, TLSv1.2", "BORINGSSL, TLSv1.3"})
    void hostAndCertificateNameTheTenantAndMustAgree(Engine engine, String protocol) throws IOException {
        try (TestNode node = node(engine)) {
            assertThat(connect(node, protocol, "Fish.mqtt.example.org", null)).isEqualTo(ReasonCode.SUCCESS);
            assertThat(tenantOfLast(node)).isEqualTo("fish");
            assertThat(connect(node, protocol, null, BIRD)).isEqualTo(ReasonCode.SUCCESS);
            assertThat(tenantOfLast(node)).isEqualTo("birds");
            assertThat(connect(node, protocol, "birds.mqtt.example.org", BIRD)).isEqualTo(ReasonCode.SUCCESS);
            assertThat(connect(node, protocol, "fish.mqtt.example.org", BIRD)).isEqualTo(ReasonCode.NOT_AUTHORIZED);
            assertThat(connect(node, protocol, "elsewhere.example.org", null)).isEqualTo(ReasonCode.SUCCESS);
            assertThat(tenantOfLast(node)).isEqualTo("default");
        }
    }
}
