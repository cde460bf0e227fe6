package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.certificates.TestAuthority;
import io.godwit.mqtt.codec.DecodeLimits;
import io.godwit.mqtt.codec.PacketEncoder;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.TransportConfig;
import io.godwit.mqtt.transport.tls.TlsConfig;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Await;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many clients in the middle of large packets, with room for a few of them. */
class HalfReceivedOverSocketsTest {
    private static final TestAuthority AUTHORITY = new TestAuthority("root");
    private static final int CLIENTS = 12;
    private static final int PACKET_BYTES = 200_000;
    private static final TransportConfig SMALL_ROOM = new TransportConfig(
            2,
            true,
            TransportConfig.Io.SOCKETS,
            1024 * 1024,
            1 << 20,
            new DecodeLimits(1 << 20, 10, 10, 10),
            Duration.ofSeconds(5));

    @TempDir
    private Path directory;

    private TestNode node(boolean isTls) {
        TestAuthority.write(directory, "server", AUTHORITY.issue("CN=server"));
        TlsConfig tls = new TlsConfig(
                directory.resolve("server.crt"),
                directory.resolve("server.key"),
                null,
                TlsConfig.ClientCertificate.NONE,
                null,
                TlsConfig.PROTOCOLS,
                List.of(),
                TlsConfig.UserName.NONE,
                TlsConfig.Engine.AUTO);
        ListenerConfig listener = new ListenerConfig(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                TestNode.LIMITS,
                isTls ? tls : null,
                null,
                List.of());
        return new TestNode(SMALL_ROOM, SessionConfig.DEFAULTS, List.of(listener));
    }

    private static TestClient client(TestNode node, boolean isTls, String clientId) throws Exception {
        TestClient client = isTls
                ? new TestClient(
                        AUTHORITY
                                .clientContext(null)
                                .getSocketFactory()
                                .createSocket(node.address.getAddress(), node.address.getPort()),
                        5)
                : new TestClient(node.address, 5);
        client.connect(new Connect(5, true, 0, clientId, null, null, null));
        return client;
    }

    private static ByteBuf frame(Packet packet) {
        ByteBuf out = Unpooled.buffer();
        new PacketEncoder(5, -1, true).encode(packet, out);
        return out;
    }

    private static double gauge(TestNode node, String name) {
        return node.meters.get("godwit.mqtt.half.received." + name).gauge().value();
    }

    private static void await(TestNode node, String name, double value) {
        Await.until(
                () -> name + " at " + value + ", last " + gauge(node, name),
                Duration.ofSeconds(30),
                () -> gauge(node, name) == value);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theyWaitForEachOtherAndAllArriveWhileSmallPacketsPass(boolean isTls) throws Exception {
        try (TestNode node = node(isTls)) {
            List<TestClient> clients = new ArrayList<>();
            List<ByteBuf> rests = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                TestClient client = client(node, isTls, "c" + i);
                ByteBuf frame = frame(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "t", "x".repeat(PACKET_BYTES)));
                client.sendBytes(frame.readSlice(5000));
                clients.add(client);
                rests.add(frame);
            }
            await(node, "waiting", CLIENTS - 4);
            assertThat(gauge(node, "bytes")).isBetween(4.0 * PACKET_BYTES, 4.0 * PACKET_BYTES + 100);

            try (TestClient small = client(node, isTls, "small")) {
                small.send(TestClient.publish(1, Qos.AT_LEAST_ONCE, false, "t", "x".repeat(3000)));
                small.receive(PubAck.class);
            }

            clients.remove(7).close(); // gone while it waits
            rests.remove(7);
            for (int i = 0; i < clients.size(); i++) {
                clients.get(i).sendBytes(rests.get(i));
            }
            for (TestClient client : clients) {
                client.receive(PubAck.class);
                client.close();
            }
            await(node, "waiting", 0);
            await(node, "bytes", 0);
        }
    }
}
