package io.godwit.mqtt.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class EncodedPublishTest {
    private static final long NOW = 1_700_000_000_000L;

    /** Laid out once or encoded for itself, a message gives the same bytes. */
    @Property(tries = 500)
    void frameIsTheOneOfThePacket(@ForAll long seed, @ForAll @IntRange(min = 3, max = 5) int level) {
        Publish packet = withoutPeculiarities(new RandomPackets(seed, level, true).publish());
        Message message = message(packet.topic(), packet.payload(), packet.properties());
        EncodedPublish encoded = EncodedPublish.of(message, packet.qos(), packet.retain(), level, NOW);
        ByteBuf out = Unpooled.buffer().writeZero(3); // frames before it do not shift its packet identifier

        PacketEncoder encoder = new PacketEncoder(level, -1, true);
        assertThat(encoder.encode(encoded, packet.packetId(), packet.dup(), out))
                .isTrue();

        assertThat(ByteBufUtil.hexDump(out.skipBytes(3))).isEqualTo(ByteBufUtil.hexDump(Frames.encode(packet, level)));
        assertThat(encoded.size()).isEqualTo(out.readableBytes());
    }

    @Test
    void receiversOfOneFrameDifferInPacketIdentifierAndDupOnly() {
        Message message = message("t", new byte[] {'p'}, MessageProperties.NONE);
        EncodedPublish encoded = EncodedPublish.of(message, Qos.AT_LEAST_ONCE, false, ProtocolLevel.MQTT_3_1_1, NOW);
        PacketEncoder encoder = new PacketEncoder(ProtocolLevel.MQTT_3_1_1, -1, true);
        ByteBuf out = Unpooled.buffer();
        encoder.encode(encoded, 1, false, out);
        encoder.encode(encoded, 0xABCD, true, out);
        encoder.encode(encoded, 2, false, out);
        assertThat(ByteBufUtil.hexDump(out))
                .isEqualTo("3206" + "000174" + "0001" + "70" + "3a06" + "000174" + "abcd" + "70" + "3206" + "000174"
                        + "0002" + "70");
    }

    /** [MQTT5-3.3.2-6]: the receiver gets the remaining expiry. */
    @Test
    void expiryIsWhatIsLeftOfIt() {
        MessageProperties properties = new MessageProperties(-1, 60, null, null, null, List.of());
        Message message = message("t", new byte[0], properties);
        ByteBuf out = Unpooled.buffer();
        EncodedPublish encoded =
                EncodedPublish.of(message, Qos.AT_MOST_ONCE, false, ProtocolLevel.MQTT_5, NOW + 20_000);
        new PacketEncoder(ProtocolLevel.MQTT_5, -1, true).encode(encoded, 0, false, out);
        Publish publish =
                (Publish) Frames.decoder(ProtocolLevel.MQTT_5, false, false).decode(out);
        assertThat(publish.properties().messageExpirySeconds()).isEqualTo(40);
    }

    /** [MQTT5-3.1.2-25]. */
    @Test
    void frameAboveThePeersLimitIsReported() {
        EncodedPublish encoded = EncodedPublish.of(
                message("t", new byte[100], MessageProperties.NONE),
                Qos.AT_MOST_ONCE,
                false,
                ProtocolLevel.MQTT_5,
                NOW);
        ByteBuf out = Unpooled.buffer();
        assertThat(new PacketEncoder(ProtocolLevel.MQTT_5, encoded.size() - 1, true).encode(encoded, 0, false, out))
                .isFalse();
        assertThat(out.isReadable()).isFalse();
        assertThat(new PacketEncoder(ProtocolLevel.MQTT_5, encoded.size(), true).encode(encoded, 0, false, out))
                .isTrue();
    }

    @Test
    void frameOfAnotherLevelIsRefused() {
        EncodedPublish encoded = EncodedPublish.of(
                message("t", new byte[1], MessageProperties.NONE), Qos.AT_MOST_ONCE, false, ProtocolLevel.MQTT_5, NOW);
        assertThatThrownBy(() -> new PacketEncoder(ProtocolLevel.MQTT_3_1_1, -1, true)
                        .encode(encoded, 0, false, Unpooled.buffer()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Publish withoutPeculiarities(Publish packet) {
        return new Publish(
                packet.packetId(),
                packet.dup(),
                packet.qos(),
                packet.retain(),
                "t/" + packet.topic(),
                packet.payload(),
                packet.properties());
    }

    private static Message message(String topic, byte[] payload, MessageProperties properties) {
        return new Message(topic, payload, Qos.EXACTLY_ONCE, false, NOW, properties);
    }
}
