package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.mqtt.certificates.TestAuthority.Issued;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.tls.TlsConfig;
import io.godwit.mqtt.transport.tls.TlsConfig.ClientCertificate;
import io.godwit.mqtt.transport.tls.TlsConfig.Engine;
import io.godwit.mqtt.transport.tls.TlsConfig.UserName;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Await;
import io.netty.handler.ssl.OpenSsl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** TLS over real sockets, by each engine. */
class TlsListenerTest {
    private static final TestAuthority AUTHORITY = new TestAuthority("root");
    private static final Issued KNOWN = AUTHORITY.issue("CN=sensor-7,O=Birds");
    private static final Issued NAMELESS = AUTHORITY.issue("O=Birds");
    private static final Issued REVOKED = AUTHORITY.issue("CN=stolen");
    private static final Issued STRANGER = new TestAuthority("root").issue("CN=sensor-7");

    @TempDir
    static Path directory;

    @BeforeAll
    static void writeFiles() {
        TestAuthority.write(directory, "server", AUTHORITY.issue("CN=server"));
        TestAuthority.writePem(directory.resolve("root.crt"), AUTHORITY.certificate());
        AUTHORITY.writeRevocations(directory.resolve("root.crl"), List.of(REVOKED));
    }

    /** BoringSSL ships for every system that the tests run on. */
    @Test
    void boringSslLoads() {
        assertThat(OpenSsl.unavailabilityCause()).isNull();
    }

    private static TlsConfig tls(Engine engine, ClientCertificate asked, UserName userName) {
        boolean asks = asked != ClientCertificate.NONE;
        return new TlsConfig(
                directory.resolve("server.crt"),
                directory.resolve("server.key"),
                asks ? directory.resolve("root.crt") : null,
                asked,
                asks ? directory.resolve("root.crl") : null,
                TlsConfig.PROTOCOLS,
                List.of(),
                userName,
                engine);
    }

    private static TestNode node(TlsConfig tls) {
        return node(tls, TestNode.LIMITS);
    }

    private static TestNode node(TlsConfig tls, ListenerLimits limits) {
        ListenerConfig listener = new ListenerConfig(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), limits, tls, null, List.of());
        return new TestNode(TestNode.TRANSPORT, SessionConfig.DEFAULTS, List.of(listener));
    }

    private static SSLSocket socket(TestNode node, @Nullable Issued own, String... protocols) throws IOException {
        SSLSocket socket = (SSLSocket) AUTHORITY
                .clientContext(own)
                .getSocketFactory()
                .createSocket(node.address.getAddress(), node.address.getPort());
        if (protocols.length > 0) {
            socket.setEnabledProtocols(protocols);
        }
        return socket;
    }

    private static ConnAck connect(TestClient client, @Nullable String userName) {
        return client.connect(new Connect(5, true, 0, "c", userName, null, null));
    }

    private static @Nullable String userName(TestNode node) {
        return node.events.stream()
                .filter(BrokerEvent.ClientConnected.class::isInstance)
                .map(event -> ((BrokerEvent.ClientConnected) event).client())
                .reduce((first, last) -> last)
                .orElseThrow()
                .userName();
    }

    @ParameterizedTest
    @CsvSource({"JDK, TLSv1.2", "JDK, TLSv1.3", "BORINGSSL, TLSv1.2", "BORINGSSL, TLSv1.3"})
    void mqttGoesThroughTls(Engine engine, String protocol) throws IOException {
        try (TestNode node = node(tls(engine, ClientCertificate.NONE, UserName.NONE));
                SSLSocket socket = socket(node, null, protocol);
                TestClient client = new TestClient(socket, 5)) {
            assertThat(connect(client, "me").reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
            assertThat(userName(node)).isEqualTo("me");
            client.subscribe(1, "t", Qos.AT_MOST_ONCE);
            String large = "x".repeat(200_000); // many records
            client.send(TestClient.publish(0, Qos.AT_MOST_ONCE, false, "t", large));
            assertThat(client.receivePayload()).isEqualTo(large);
        }
    }

    @Test
    void whoIsOneTooManyIsTold() throws IOException {
        ListenerLimits d = TestNode.LIMITS;
        ListenerLimits one = new ListenerLimits(
                d.maxPacketBytes(), d.maxConnBandwidth(), d.maxPublishRate(), d.connectTimeout(), 1, 0, 0, 0);
        try (TestNode node = node(tls(Engine.AUTO, ClientCertificate.NONE, UserName.NONE), one);
                TestClient first = new TestClient(socket(node, null), 5)) {
            assertThat(connect(first, null).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            try (TestClient second = new TestClient(socket(node, null), 5)) {
                assertThat(connect(second, null).reasonCode()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JDK", "BORINGSSL"})
    void theOldProtocolsAreRefused(Engine engine) throws IOException {
        try (TestNode node = node(tls(engine, ClientCertificate.NONE, UserName.NONE));
                SSLSocket socket = socket(node, null, "TLSv1.1", "TLSv1")) {
            assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
        }
    }

    /** The connection's end is signalled inside TLS, so that the client can tell it from a cut connection. */
    @ParameterizedTest
    @EnumSource(names = {"JDK", "BORINGSSL"})
    void theServersCloseIsSaidInsideTls(Engine engine) throws IOException {
        try (TestNode node = node(tls(engine, ClientCertificate.NONE, UserName.NONE));
                SSLSocket socket = socket(node, null);
                TestClient client = new TestClient(socket, 5)) {
            client.send(new PingReq()); // no CONNECT: closed without an answer
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JDK", "BORINGSSL"})
    void aClientThatEndsTlsHasLeft(Engine engine) throws IOException {
        try (TestNode node = node(tls(engine, ClientCertificate.NONE, UserName.NONE));
                SSLSocket socket = socket(node, null);
                TestClient client = new TestClient(socket, 5)) {
            connect(client, null);
            socket.shutdownOutput(); // signals the end inside TLS; the socket stays open
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "JDK, CN, TLSv1.2, sensor-7",
        "JDK, SUBJECT, TLSv1.3, 'O=Birds,CN=sensor-7'",
        "BORINGSSL, CN, TLSv1.3, sensor-7",
        "BORINGSSL, SUBJECT, TLSv1.2, 'O=Birds,CN=sensor-7'",
        "BORINGSSL, NONE, TLSv1.3, me"
    })
    void theCertificatesNameStandsAboveTheOneInConnect(Engine engine, UserName from, String protocol, String expected)
            throws IOException {
        try (TestNode node = node(tls(engine, ClientCertificate.REQUIRE, from));
                SSLSocket socket = socket(node, KNOWN, protocol);
                TestClient client = new TestClient(socket, 5)) {
            assertThat(connect(client, "me").reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertThat(userName(node)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @CsvSource({"JDK, TLSv1.2", "JDK, TLSv1.3", "BORINGSSL, TLSv1.2", "BORINGSSL, TLSv1.3"})
    void aClientWithoutAValidCertificateIsRefused(Engine engine, String protocol) throws IOException {
        try (TestNode node = node(tls(engine, ClientCertificate.REQUIRE, UserName.CN))) {
            assertRefused(node, null, protocol);
            assertRefused(node, STRANGER, protocol);
            assertRefused(node, REVOKED, protocol);
            assertThat(node.events).noneMatch(BrokerEvent.ClientConnected.class::isInstance);
        }
    }

    /** In TLS 1.3 the client learns of it only after its own handshake is done. */
    private static void assertRefused(TestNode node, @Nullable Issued own, String protocol) throws IOException {
        try (SSLSocket socket = socket(node, own, protocol);
                TestClient client = new TestClient(socket, 5)) {
            assertThatThrownBy(() -> connect(client, null))
                    .isInstanceOfAny(UncheckedIOException.class, AssertionError.class);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JDK", "BORINGSSL"})
    void anOptionalCertificateMayBeMissingButNotBeWrong(Engine engine) throws IOException {
        try (TestNode node = node(tls(engine, ClientCertificate.OPTIONAL, UserName.CN))) {
            try (SSLSocket socket = socket(node, null);
                    TestClient client = new TestClient(socket, 5)) {
                assertThat(connect(client, "me").reasonCode()).isEqualTo(ReasonCode.SUCCESS);
                assertThat(userName(node)).isEqualTo("me");
            }
            assertRefused(node, REVOKED, "TLSv1.3");
        }
    }

    @Test
    void aCertificateWithoutTheNameIsRefused() throws IOException {
        try (TestNode node = node(tls(Engine.AUTO, ClientCertificate.REQUIRE, UserName.CN));
                SSLSocket socket = socket(node, NAMELESS);
                TestClient client = new TestClient(socket, 5)) {
            assertThat(connect(client, "me").reasonCode()).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
        }
    }

    private static void await(TestNode node, Class<? extends BrokerEvent> event) {
        Await.until(
                event.getSimpleName(),
                Duration.ofSeconds(20),
                () -> node.events.stream().anyMatch(event::isInstance));
    }

    @Test
    void whatIsNoTlsIsClosed() throws InterruptedException {
        try (TestNode node = node(tls(Engine.AUTO, ClientCertificate.NONE, UserName.NONE));
                TestClient client = new TestClient(node.address, 5)) {
            client.send(new Connect(5, true, 0, "c", null, null, null));
            assertThat(client.isClosedAfterWhatever()).isTrue();
            await(node, BrokerEvent.ProtocolViolated.class);
            assertThat(node.events)
                    .filteredOn(BrokerEvent.ProtocolViolated.class::isInstance)
                    .extracting(event -> ((BrokerEvent.ProtocolViolated) event).detail())
                    .allSatisfy(detail -> assertThat(detail)
                            .startsWith("not an SSL/TLS record")
                            .doesNotContain("Exception"));
        }
    }

    @Test
    void onlyTheConfiguredCiphersAreTaken() throws IOException {
        TlsConfig strict = new TlsConfig(
                directory.resolve("server.crt"),
                directory.resolve("server.key"),
                null,
                ClientCertificate.NONE,
                null,
                List.of("TLSv1.2"),
                List.of("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
                UserName.NONE,
                Engine.AUTO);
        try (TestNode node = node(strict);
                SSLSocket fitting = socket(node, null);
                SSLSocket other = socket(node, null)) {
            fitting.startHandshake();
            assertThat(fitting.getSession().getCipherSuite()).isEqualTo("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384");
            other.setEnabledCipherSuites(new String[] {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"});
            assertThatThrownBy(other::startHandshake).isInstanceOf(SSLHandshakeException.class);
        }
    }
}
