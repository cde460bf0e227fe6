package io.godwit.it.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.broker.Ports;
import io.godwit.it.real.Clients.Library;
import io.godwit.it.real.RealClient.Message;
import io.godwit.it.real.RealClient.Settings;
import io.godwit.it.wire.Packet;
import io.godwit.it.wire.PacketReader;
import io.godwit.it.wire.PacketWriter;
import io.godwit.it.wire.Properties;
import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.mqtt.certificates.TestAuthority.Issued;
import io.godwit.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One packaged broker with a listener of every kind. */
class TransportsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final TestAuthority AUTHORITY = new TestAuthority("root");
    private static final Issued KNOWN = AUTHORITY.issue("CN=known");
    private static final Issued REVOKED = AUTHORITY.issue("CN=revoked");

    @TempDir
    private static Path directory;

    private static BrokerProcess broker;
    private static InetSocketAddress tls;
    private static InetSocketAddress mutual;
    private static InetSocketAddress proxied;
    private static InetSocketAddress hastyTls;
    private static InetSocketAddress webSocket;
    private static InetSocketAddress hastyWebSocket;
    private static InetSocketAddress secureWebSocket;

    @BeforeAll
    static void startBroker() throws Exception {
        tls = Ports.free();
        mutual = Ports.free();
        proxied = Ports.free();
        hastyTls = Ports.free();
        webSocket = Ports.free();
        hastyWebSocket = Ports.free();
        secureWebSocket = Ports.free();
        TestAuthority.write(directory, "server", AUTHORITY.issue("CN=first"));
        TestAuthority.write(directory, "other", AUTHORITY.issue("CN=other"));
        TestAuthority.writePem(directory.resolve("root.crt"), AUTHORITY.certificate());
        AUTHORITY.writeRevocations(directory.resolve("root.crl"), List.of(REVOKED));
        String other = "sslConfig: {certFile: other.crt, keyFile: other.key";
        broker = new BrokerProcess(directory)
                .mqttSetting(
                        "tlsListener",
                        "["
                                + "{port: " + tls.getPort()
                                + ", sslConfig: {certFile: server.crt, keyFile: server.key}},"
                                + "{port: " + mutual.getPort() + ", " + other + ", clientAuth: require,"
                                + " trustCertsFile: root.crt, crlFile: root.crl, userName: cn}},"
                                + "{port: " + proxied.getPort() + ", maxConnectionsPerSource: 1,"
                                + " proxyProtocol: {enable: true, from: [127.0.0.1]}, " + other + "}},"
                                + "{port: " + hastyTls.getPort() + ", connectTimeoutSeconds: 1, " + other + "}}"
                                + "]")
                .mqttSetting(
                        "wsListener",
                        "[{port: " + webSocket.getPort() + "},{port: " + hastyWebSocket.getPort()
                                + ", connectTimeoutSeconds: 1}]")
                .mqttSetting("wssListener", "{port: " + secureWebSocket.getPort() + ", " + other + "}}");
        broker.start();
    }

    @AfterAll
    static void stopBroker() throws Exception {
        broker.close();
    }

    private static TrustManagerFactory trust() throws Exception {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        trusted.setCertificateEntry("root", AUTHORITY.certificate());
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        return factory;
    }

    static Stream<Arguments> librariesAndTransports() {
        return Stream.of(Library.values())
                .flatMap(library -> Stream.of("tls", "ws", "wss")
                        .filter(transport -> library != Library.VERTX_V3 || transport.equals("tls"))
                        .map(transport -> Arguments.of(library, transport)));
    }

    @ParameterizedTest
    @Tag("smoke")
    @MethodSource("librariesAndTransports")
    void messagesGoThroughEveryTransport(Library library, String transport) throws Exception {
        InetSocketAddress address = switch (transport) {
            case "tls" -> tls;
            case "ws" -> webSocket;
            default -> secureWebSocket;
        };
        Via via = new Via(transport.equals("ws") ? null : trust(), transport.startsWith("ws"));
        String name = library + "-" + transport;
        Settings settings = Settings.of(address, via, name);
        try (RealClient client = library.make(settings)) {
            client.connect();
            client.subscribe(name, 1);
            String large = "x".repeat(50_000); // more than a TLS record, and than a read
            client.publish(name, large, 1, false);
            client.publish(name, "small", 0, false);
            assertThat(settings.next(PATIENCE)).isEqualTo(new Message(name, large, 1, false));
            assertThat(settings.next(PATIENCE)).isEqualTo(new Message(name, "small", 0, false));
            client.disconnect();
        }
    }

    // ---- TLS

    private static SSLSocket tlsSocket(InetSocketAddress address, @Nullable Issued own, String... protocols)
            throws IOException {
        SSLSocketFactory factory = AUTHORITY.clientContext(own).getSocketFactory();
        SSLSocket socket = (SSLSocket) factory.createSocket(address.getAddress(), address.getPort());
        socket.setSoTimeout((int) PATIENCE.toMillis());
        if (protocols.length > 0) {
            socket.setEnabledProtocols(protocols);
        }
        return socket;
    }

    /** The answer's code, or -1 when the broker hangs up. */
    private static int connect(Socket socket, String clientId) {
        try {
            socket.getOutputStream()
                    .write(PacketWriter.bytes(new Packet.Connect(5, clientId, true, 0, Properties.NONE, null), 5));
            Packet answer = PacketReader.read(new DataInputStream(socket.getInputStream()), 5);
            return answer instanceof Packet.Connack connack ? connack.code() : -1;
        } catch (IOException e) {
            return -1;
        }
    }

    @ParameterizedTest
    @Tag("smoke")
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void bothVersionsOfTlsAreSpoken(String protocol) throws Exception {
        try (SSLSocket socket = tlsSocket(tls, null, protocol)) {
            assertThat(connect(socket, protocol)).isZero();
            assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
        }
    }

    @ParameterizedTest
    @Tag("full")
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void onlyClientsWithAValidCertificateAreLetIn(String protocol) throws Exception {
        try (SSLSocket known = tlsSocket(mutual, KNOWN, protocol);
                SSLSocket revoked = tlsSocket(mutual, REVOKED, protocol);
                SSLSocket stranger = tlsSocket(mutual, new TestAuthority("root").issue("CN=known"), protocol);
                SSLSocket nobody = tlsSocket(mutual, null, protocol)) {
            assertThat(connect(known, "known")).isZero();
            assertThat(connect(revoked, "revoked")).isEqualTo(-1);
            assertThat(connect(stranger, "stranger")).isEqualTo(-1);
            assertThat(connect(nobody, "nobody")).isEqualTo(-1);
        }
    }

    /** Of the server's certificate, and of the list of revoked ones. */
    @Test
    void filesAreReadAgainWithoutDroppingConnections() throws Exception {
        Issued second = AUTHORITY.issue("CN=second");
        Issued soonRevoked = AUTHORITY.issue("CN=soon-revoked");
        try (SSLSocket standing = tlsSocket(tls, null);
                SSLSocket mutualStanding = tlsSocket(mutual, soonRevoked)) {
            assertThat(connect(standing, "standing")).isZero();
            assertThat(connect(mutualStanding, "mutual-standing")).isZero();

            TestAuthority.write(directory, "server", second);
            AUTHORITY.writeRevocations(directory.resolve("root.crl"), List.of(REVOKED, soonRevoked));
            await(() -> presented(tls).equals(second.certificate()));
            await(() -> {
                try (SSLSocket again = tlsSocket(mutual, soonRevoked)) {
                    return connect(again, "again") == -1;
                }
            });

            for (SSLSocket socket : List.of(standing, mutualStanding)) {
                socket.getOutputStream().write(PacketWriter.bytes(new Packet.PingRequest(), 5));
                assertThat(PacketReader.read(new DataInputStream(socket.getInputStream()), 5))
                        .isEqualTo(new Packet.PingResponse());
            }
        }
    }

    private static Certificate presented(InetSocketAddress address) throws IOException {
        try (SSLSocket socket = tlsSocket(address, null)) {
            socket.startHandshake();
            return socket.getSession().getPeerCertificates()[0];
        }
    }

    private static <E extends Exception> void await(Await.Condition<E> condition) throws E {
        Await.until("what the test waits for", PATIENCE, condition);
    }

    // ---- PROXY protocol

    private static SSLSocket announced(byte[] header) throws IOException {
        Socket plain = new Socket(proxied.getAddress(), proxied.getPort());
        plain.setSoTimeout((int) PATIENCE.toMillis());
        plain.getOutputStream().write(header);
        return (SSLSocket) AUTHORITY
                .clientContext(null)
                .getSocketFactory()
                .createSocket(plain, proxied.getAddress().getHostAddress(), proxied.getPort(), true);
    }

    private static byte[] version1(String source) {
        return ("PROXY TCP4 " + source + " 10.0.0.1 40000 8883\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] version2(int source) {
        byte[] signature = {0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A};
        return ByteBuffer.allocate(28)
                .put(signature)
                .put(new byte[] {0x21, 0x11, 0, 12})
                .putInt(source)
                .putInt(0x0A000001)
                .putShort((short) 40_000)
                .putShort((short) 8883)
                .array();
    }

    /** That the client's address is taken shows in the limit of one connection per source. */
    @Test
    void aTrustedProxySaysWhereTheClientIs() throws Exception {
        try (SSLSocket first = announced(version1("192.0.2.1"));
                SSLSocket other = announced(version2(0xC0000202))) {
            assertThat(connect(first, "first")).isZero();
            assertThat(connect(other, "other")).isZero();
            try (SSLSocket again = announced(version2(0xC0000201))) {
                assertThat(connect(again, "again"))
                        .as("a connection over the limit is refused with quota exceeded")
                        .isEqualTo(0x97);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aHeaderThatNobodyMaySendIsRefused(int version) throws Exception {
        byte[] header = version == 1 ? version1("192.0.2.9") : version2(0xC0000209);
        InetSocketAddress plain = broker.address();
        try (Socket socket = new Socket(plain.getAddress(), plain.getPort())) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            socket.getOutputStream().write(header);
            assertThat(connect(socket, "liar")).isEqualTo(-1);
        }
    }

    // ---- WebSocket

    /** [MQTT5-6.0.0-1] */
    @Test
    void aTextFrameEndsTheConnection() throws Exception {
        Recorder recorder = new Recorder();
        WebSocket socket = open("mqtt", recorder);
        socket.sendText("hello", true);
        assertThat(recorder.closed.get(10, TimeUnit.SECONDS)).isEqualTo(1003);
    }

    /** [MQTT5-6.0.0-3] */
    @Test
    void aWebSocketThatDoesNotOfferMqttIsNotOpened() {
        assertThatThrownBy(() -> open("chat", new Recorder()))
                .cause()
                .isInstanceOfSatisfying(
                        WebSocketHandshakeException.class,
                        refused ->
                                assertThat(refused.getResponse().statusCode()).isEqualTo(400));
    }

    /** [MQTT5-6.0.0-2], [MQTT5-6.0.0-4] */
    @Test
    void packetsNeedNotKeepToFrames() throws Exception {
        Recorder recorder = new Recorder();
        WebSocket socket = open("mqtt", recorder);
        assertThat(socket.getSubprotocol()).isEqualTo("mqtt");
        byte[] connect = PacketWriter.bytes(new Packet.Connect(5, "frames", true, 0, Properties.NONE, null), 5);
        byte[] ping = PacketWriter.bytes(new Packet.PingRequest(), 5);
        ByteBuffer both = ByteBuffer.allocate(connect.length + ping.length)
                .put(connect)
                .put(ping)
                .flip();
        int half = connect.length / 2;
        socket.sendBinary(both.slice(0, half), false)
                .thenCompose(done -> socket.sendPing(ByteBuffer.wrap(new byte[] {1})))
                .thenCompose(done -> socket.sendBinary(both.slice(half, connect.length - half - 1), true))
                .thenCompose(done -> socket.sendBinary(both.slice(connect.length - 1, 1 + ping.length), true))
                .get(10, TimeUnit.SECONDS);
        await(() -> recorder.has((byte) 0x20, (byte) 0xD0));
        assertThat(recorder.pongs).isEqualTo(1);
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "");
        assertThat(recorder.closed.get(10, TimeUnit.SECONDS)).isEqualTo(WebSocket.NORMAL_CLOSURE);
    }

    private static WebSocket open(String subprotocol, Recorder recorder) throws Exception {
        URI uri = URI.create("ws://127.0.0.1:" + webSocket.getPort() + "/mqtt");
        return HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .subprotocols(subprotocol)
                .buildAsync(uri, recorder)
                .get(10, TimeUnit.SECONDS);
    }

    private static final class Recorder implements WebSocket.Listener {
        private final CompletableFuture<Integer> closed = new CompletableFuture<>();
        private final ByteArrayOutputStream received = new ByteArrayOutputStream();
        private volatile int pongs;

        /** Whether CONNACK and PINGRESP have come, and nothing else. */
        synchronized boolean has(byte first, byte second) {
            byte[] bytes = received.toByteArray();
            return bytes.length > 2 && bytes[0] == first && bytes[bytes.length - 2] == second;
        }

        @Override
        public synchronized @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            byte[] bytes = new byte[data.remaining()];
            data.get(bytes);
            received.writeBytes(bytes);
            socket.request(1);
            return null;
        }

        @Override
        public synchronized @Nullable CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
            pongs++;
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            closed.complete(status);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            closed.completeExceptionally(error);
        }
    }

    // ---- slow clients

    /** No handshake, half of one, no request, half of one: the connect time-out holds for all of them. */
    @Test
    @Tag("full")
    void whoDoesNotComeToTheConnectIsClosed() throws Exception {
        byte[] halfHello = {0x16, 0x03, 0x01, 0x02, 0x00, 0x01};
        byte[] halfRequest = "GET /mqtt HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII);
        try (Socket noHandshake = half(hastyTls, new byte[0]);
                Socket halfHandshake = half(hastyTls, halfHello);
                Socket noRequest = half(hastyWebSocket, new byte[0]);
                Socket halfOfRequest = half(hastyWebSocket, halfRequest)) {
            for (Socket socket : List.of(noHandshake, halfHandshake, noRequest, halfOfRequest)) {
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    private static Socket half(InetSocketAddress address, byte[] bytes) throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout((int) PATIENCE.toMillis());
        socket.getOutputStream().write(bytes);
        return socket;
    }
}
