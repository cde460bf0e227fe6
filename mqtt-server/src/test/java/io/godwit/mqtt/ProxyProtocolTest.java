package io.godwit.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.ban.AddressBlock;
import io.godwit.mqtt.ban.BanSubject;
import io.godwit.mqtt.ban.BanTable;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.transport.config.AddressRange;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.plugin.event.BrokerEvent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections that a proxy announces, over real sockets. */
class ProxyProtocolTest {
    private static final Connect CONNECT = new Connect(5, true, 0, "c", null, null, null);
    private static final byte[] SIGNATURE = {0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A};

    private static TestNode node(String proxies, ListenerLimits limits) {
        ListenerConfig listener = new ListenerConfig(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                limits,
                null,
                null,
                List.of(AddressRange.parse(proxies)));
        return new TestNode(TestNode.TRANSPORT, SessionConfig.DEFAULTS, List.of(listener));
    }

    private static TestClient announced(TestNode node, byte[] header) {
        TestClient client = new TestClient(node.address, 5);
        client.sendBytes(Unpooled.copiedBuffer(header));
        return client;
    }

    private static byte[] version1(String source) {
        return ("PROXY TCP4 " + source + " 10.0.0.1 40000 1883\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** @param command 1 PROXY, 0 LOCAL */
    private static byte[] version2(int command) {
        ByteBuf header = Unpooled.buffer()
                .writeBytes(SIGNATURE)
                .writeByte(0x20 | command)
                .writeByte(command == 1 ? 0x11 : 0)
                .writeShort(command == 1 ? 12 + 4 : 0);
        if (command == 1) {
            header.writeInt(0xC0A80102).writeInt(0x0A000001).writeShort(40_001).writeShort(1883);
            header.writeByte(0x04).writeShort(1).writeByte(0); // an extra field: one byte of padding
        }
        byte[] bytes = new byte[header.readableBytes()];
        header.readBytes(bytes);
        return bytes;
    }

    private static String remoteAddress(TestNode node) {
        return node.events.stream()
                .filter(BrokerEvent.ClientConnected.class::isInstance)
                .map(event -> ((BrokerEvent.ClientConnected) event).client().remoteAddress())
                .reduce((first, last) -> last)
                .orElseThrow();
    }

    @Test
    void theClientIsWhereTheProxySays() {
        try (TestNode node = node("127.0.0.0/8", TestNode.LIMITS)) {
            try (TestClient client = announced(node, version1("192.168.1.1"))) {
                assertThat(client.connect(CONNECT).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
                assertThat(remoteAddress(node)).isEqualTo("192.168.1.1:40000");
            }
            try (TestClient client = announced(node, version2(1))) {
                assertThat(client.connect(CONNECT).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
                assertThat(remoteAddress(node)).isEqualTo("192.168.1.2:40001");
            }
            try (TestClient client = announced(node, version2(0))) {
                client.connect(CONNECT);
                assertThat(remoteAddress(node)).startsWith("127.0.0.1:");
            }
        }
    }

    @Test
    void limitsSeeTheClientAndNotTheProxy() {
        ListenerLimits onePerSource = new ListenerLimits(1024, 0, 0, Duration.ofSeconds(5), 0, 1, 0, 0);
        try (TestNode node = node("127.0.0.1", onePerSource);
                TestClient first = announced(node, version1("192.168.1.1"));
                TestClient other = announced(node, version1("192.168.1.2"));
                TestClient second = announced(node, version1("192.168.1.1"))) {
            assertThat(first.connect(CONNECT).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertThat(other.connect(CONNECT).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertThat(second.connect(CONNECT).reasonCode()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        }
    }

    @Test
    void aBanSeesTheClientAndNotTheProxy() {
        try (TestNode node = node("127.0.0.1", TestNode.LIMITS)) {
            node.server.operatorBans().put(new BanSubject.OfAddress(AddressBlock.parse("192.168.1.1")), BanTable.NEVER);
            try (TestClient banned = announced(node, version1("192.168.1.1"));
                    TestClient other = announced(node, version1("192.168.1.2"))) {
                assertThat(banned.connect(CONNECT).reasonCode()).isEqualTo(ReasonCode.BANNED);
                assertThat(other.connect(CONNECT).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            }
        }
    }

    /** A sender that may name the client could impersonate anybody: from any other source the header is not MQTT. */
    @Test
    void aHeaderFromAnotherSourceIsRefused() {
        try (TestNode node = node("10.0.0.0/8", TestNode.LIMITS);
                TestClient version1 = announced(node, version1("192.168.1.1"));
                TestClient version2 = announced(node, version2(1));
                TestClient direct = new TestClient(node.address, 5)) {
            assertThat(version1.isClosedByServer()).isTrue();
            assertThat(version2.isClosedByServer()).isTrue();
            assertThat(direct.connect(CONNECT).reasonCode()).isEqualTo(ReasonCode.SUCCESS);
            assertThat(node.events)
                    .filteredOn(BrokerEvent.ProtocolViolated.class::isInstance)
                    .hasSize(2);
        }
    }

    @Test
    void aProxyWithoutHeaderIsRefused() {
        try (TestNode node = node("127.0.0.1", TestNode.LIMITS);
                TestClient client = new TestClient(node.address, 5)) {
            client.send(CONNECT);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }
}
