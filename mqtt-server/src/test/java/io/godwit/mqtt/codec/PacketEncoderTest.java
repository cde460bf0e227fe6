package io.godwit.mqtt.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class PacketEncoderTest {
    private static final List<UserProperty> USER = List.of(new UserProperty("name", "value"));
    private static final String REASON = "a reason";

    /** The packets that may lose their diagnostics, each with both of them. */
    static Stream<Packet> replies() {
        return Stream.of(
                new PubAck(1, ReasonCode.NOT_AUTHORIZED, REASON, USER),
                new PubRec(1, ReasonCode.SUCCESS, REASON, USER),
                new PubRel(1, ReasonCode.PACKET_IDENTIFIER_NOT_FOUND, REASON, USER),
                new PubComp(1, ReasonCode.PACKET_IDENTIFIER_NOT_FOUND, REASON, USER),
                new SubAck(1, List.of(ReasonCode.GRANTED_QOS_1), REASON, USER),
                new UnsubAck(1, List.of(ReasonCode.SUCCESS), REASON, USER),
                ConnAck.builder(false, ReasonCode.SUCCESS)
                        .reasonString(REASON)
                        .userProperties(USER)
                        .build(),
                new Auth(ReasonCode.CONTINUE_AUTHENTICATION, "method", new byte[2], REASON, USER),
                new Disconnect(ReasonCode.QUOTA_EXCEEDED, -1, REASON, USER, null));
    }

    /** [MQTT5-3.4.2-2], [MQTT5-3.4.2-3] and similar: diagnostics are dropped, the packet is sent. */
    @ParameterizedTest
    @MethodSource("replies")
    @Clause({
        "MQTT5-3.2.2-19",
        "MQTT5-3.2.2-20",
        "MQTT5-3.4.2-2",
        "MQTT5-3.4.2-3",
        "MQTT5-3.5.2-2",
        "MQTT5-3.5.2-3",
        "MQTT5-3.6.2-2",
        "MQTT5-3.6.2-3",
        "MQTT5-3.7.2-2",
        "MQTT5-3.7.2-3",
        "MQTT5-3.9.2-1",
        "MQTT5-3.9.2-2",
        "MQTT5-3.11.2-1",
        "MQTT5-3.11.2-2",
        "MQTT5-3.14.2-3",
        "MQTT5-3.14.2-4",
        "MQTT5-3.15.2-2",
        "MQTT5-3.15.2-3"
    })
    void repliesLoseUserPropertiesFirstAndTheReasonNext(Packet reply) {
        int whole = Frames.encode(reply, ProtocolLevel.MQTT_5).length;
        assertThat(text(encode(reply, whole))).contains(REASON, "value");

        String withoutUser = text(encode(reply, whole - 1));
        assertThat(withoutUser).contains(REASON).doesNotContain("value");

        byte[] bare = encode(reply, withoutUser.length() - 1);
        assertThat(text(bare)).doesNotContain(REASON).doesNotContain("value");
        assertThat(Frames.decoder(ProtocolLevel.MQTT_5, false, false).decode(Unpooled.wrappedBuffer(bare)))
                .isInstanceOf(reply.getClass());
    }

    /** [MQTT5-3.1.2-24]: a frame above the peer's limit is never sent. */
    @ParameterizedTest
    @MethodSource("replies")
    @Clause("MQTT5-3.1.2-24")
    void noFrameIsAboveThePeersLimit(Packet reply) {
        int whole = Frames.encode(reply, ProtocolLevel.MQTT_5).length;
        for (int limit = 1; limit <= whole; limit++) {
            ByteBuf out = Unpooled.buffer();
            boolean sent = new PacketEncoder(ProtocolLevel.MQTT_5, limit, true).encode(reply, out);
            assertThat(out.readableBytes()).isLessThanOrEqualTo(limit);
            assertThat(out.isReadable()).isEqualTo(sent);
        }
    }

    /**
     * [MQTT5-3.1.2-29]: without problem information only PUBLISH, CONNACK and DISCONNECT carry more than their code.
     */
    @ParameterizedTest
    @MethodSource("replies")
    @Clause("MQTT5-3.1.2-29")
    void diagnosticsAreLeftOutForAPeerThatDeclinesThem(Packet reply) {
        ByteBuf out = Unpooled.buffer();
        new PacketEncoder(ProtocolLevel.MQTT_5, -1, false).encode(reply, out);
        boolean exempt = reply instanceof ConnAck || reply instanceof Disconnect;
        assertThat(text(ByteBufUtil.getBytes(out)).contains(REASON)).isEqualTo(exempt);
        assertThat(text(ByteBufUtil.getBytes(out)).contains("value")).isEqualTo(exempt);
    }

    /** [MQTT5-3.1.2-25], and [MQTT5-3.3.2-17]: a PUBLISH keeps its user properties and is not sent at all. */
    @Test
    @Clause("MQTT5-3.1.2-24")
    void publishAboveThePeersLimitIsReported() {
        MessageProperties properties = new MessageProperties(-1, -1, null, null, null, USER);
        Publish publish = new Publish(0, false, Qos.AT_MOST_ONCE, false, "topic", new byte[10], properties);
        int whole = Frames.encode(publish, ProtocolLevel.MQTT_5).length;
        ByteBuf out = Unpooled.buffer();
        assertThat(new PacketEncoder(ProtocolLevel.MQTT_5, whole - 1, true).encode(publish, out))
                .isFalse();
        assertThat(out.isReadable()).isFalse();
        assertThat(new PacketEncoder(ProtocolLevel.MQTT_5, whole, false).encode(publish, out))
                .isTrue();
        assertThat(out.readableBytes()).isEqualTo(whole);
    }

    /** A code that the packet's table lacks is replaced by one that it has; the decoder refuses all others. */
    @ParameterizedTest
    @EnumSource
    @Clause({"MQTT5-3.2.2-8", "MQTT5-3.14.2-1"})
    void refusalsAndDisconnectsUseTheCodesOfTheirTables(ReasonCode code) {
        for (Packet packet : List.of(ConnAck.refused(code, null), new Disconnect(code, null))) {
            if (code.isError()) {
                byte[] frame = Frames.encode(packet, ProtocolLevel.MQTT_5);
                Packet read = Frames.decoder(ProtocolLevel.MQTT_5, false, false).decode(Unpooled.wrappedBuffer(frame));
                ReasonCode said =
                        read instanceof ConnAck connAck ? connAck.reasonCode() : ((Disconnect) read).reasonCode();
                assertThat(said.isError()).isTrue();
            }
        }
    }

    @Test
    void framesAreAppendedOneAfterTheOther() {
        ByteBuf out = Unpooled.buffer();
        PacketEncoder encoder = new PacketEncoder(ProtocolLevel.MQTT_3_1_1, -1, true);
        encoder.encode(new PubAck(1), out);
        encoder.encode(PingResp.INSTANCE, out);
        encoder.encode(new PubComp(0xFFFF), out);
        assertThat(ByteBufUtil.hexDump(out)).isEqualTo("40020001" + "d000" + "7002ffff");
    }

    @Test
    void frameOfARoundSizeNeedsNoMoreRoomThanItsBytes() {
        Publish publish =
                new Publish(0, false, Qos.AT_MOST_ONCE, false, "a".repeat(200), new byte[50], MessageProperties.NONE);
        int whole = Frames.encode(publish, ProtocolLevel.MQTT_5).length;
        ByteBuf out = Unpooled.buffer(whole, whole);
        assertThat(new PacketEncoder(ProtocolLevel.MQTT_5, -1, true).encode(publish, out))
                .isTrue();
        assertThat(out.isWritable()).isFalse();
    }

    /** Something that MQTT 3.1.1 cannot express is not sent, rather than sent as something else. */
    @Test
    void whatAnOlderVersionCannotSayIsReported() {
        List<Packet> unsayable = List.of(
                new PubAck(1, ReasonCode.NOT_AUTHORIZED),
                new PubRec(1, ReasonCode.QUOTA_EXCEEDED),
                ConnAck.refused(ReasonCode.PROTOCOL_ERROR, null), // [MQTT311-3.2.2-6]
                new Disconnect(ReasonCode.SESSION_TAKEN_OVER, null),
                new Auth(ReasonCode.SUCCESS, null, null, null, List.of()));
        for (Packet packet : unsayable) {
            ByteBuf out = Unpooled.buffer();
            assertThat(new PacketEncoder(ProtocolLevel.MQTT_3_1_1, -1, true).encode(packet, out))
                    .as("%s", packet)
                    .isFalse();
            assertThat(out.isReadable()).isFalse();
        }
    }

    @Test
    void olderVersionsGetTheirOwnCodes() {
        assertThat(hex(ConnAck.refused(ReasonCode.UNSUPPORTED_PROTOCOL_VERSION, "x")))
                .isEqualTo("20020001");
        assertThat(hex(ConnAck.refused(ReasonCode.NOT_AUTHORIZED, "x"))).isEqualTo("20020005");
        assertThat(hex(ConnAck.builder(true, ReasonCode.SUCCESS)
                        .receiveMaximum(5)
                        .build()))
                .isEqualTo("20020100");
        assertThat(hex(new SubAck(1, List.of(ReasonCode.GRANTED_QOS_2, ReasonCode.NOT_AUTHORIZED), "x", USER)))
                .isEqualTo("900400010280"); // [MQTT311-3.9.3-2]
        assertThat(hex(new UnsubAck(1, List.of(ReasonCode.NO_SUBSCRIPTION_EXISTED))))
                .isEqualTo("b0020001");
        assertThat(hex(new PubComp(1, ReasonCode.PACKET_IDENTIFIER_NOT_FOUND))).isEqualTo("70020001");
        assertThat(hex(new PubAck(1, ReasonCode.NO_MATCHING_SUBSCRIBERS, "x", USER)))
                .isEqualTo("40020001");
    }

    @Test
    void tooLongAStringIsRefusedBeforeAnyByteIsWritten() {
        Publish publish =
                new Publish(0, false, Qos.AT_MOST_ONCE, false, "a".repeat(65_536), new byte[0], MessageProperties.NONE);
        ByteBuf out = Unpooled.buffer();
        assertThatThrownBy(() -> new PacketEncoder(ProtocolLevel.MQTT_5, -1, true).encode(publish, out))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(out.isReadable()).isFalse();
    }

    private static byte[] encode(Packet packet, int maximumPacketSize) {
        ByteBuf out = Unpooled.buffer();
        assertThat(new PacketEncoder(ProtocolLevel.MQTT_5, maximumPacketSize, true).encode(packet, out))
                .isTrue();
        assertThat(out.readableBytes()).isLessThanOrEqualTo(maximumPacketSize);
        return ByteBufUtil.getBytes(out);
    }

    private static String text(byte[] frame) {
        return new String(frame, StandardCharsets.ISO_8859_1);
    }

    private static String hex(Packet packet) {
        return ByteBufUtil.hexDump(Frames.encode(packet, ProtocolLevel.MQTT_3_1_1));
    }
}
