package io.godwit.mqtt.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** An encoded packet is decoded as the same packet, for every packet type and version. */
class RoundTripTest {
    @Property(tries = 3000)
    void packetsOfAClientSurviveTheWire(
            @ForAll("fromClient") Class<? extends Packet> type, @ForAll("levels") int level, @ForAll long seed) {
        check(type, level, seed, true);
    }

    @Property(tries = 2000)
    void packetsOfAServerSurviveTheWire(
            @ForAll("fromServer") Class<? extends Packet> type, @ForAll("levels") int level, @ForAll long seed) {
        boolean existsBefore5 = type != Auth.class && type != Disconnect.class;
        check(type, existsBefore5 ? level : ProtocolLevel.MQTT_5, seed, false);
    }

    private static void check(Class<? extends Packet> type, int wantedLevel, long seed, boolean fromClient) {
        int level = type == Auth.class ? ProtocolLevel.MQTT_5 : wantedLevel;
        Packet packet = new RandomPackets(seed, level, fromClient).next(type);
        ByteBuf frame = Unpooled.wrappedBuffer(Frames.encode(packet, level));
        PacketDecoder decoder = Frames.decoder(level, fromClient, type == Connect.class);

        Packet decoded = decoder.decode(frame);

        assertThat(frame.isReadable()).isFalse();
        assertThat(decoder.protocolLevel()).isEqualTo(level);
        assertThat(Frames.content((Record) decoded)).isEqualTo(Frames.content((Record) packet));
    }

    @Provide
    Arbitrary<Class<? extends Packet>> fromClient() {
        return Arbitraries.of(RandomPackets.FROM_CLIENT);
    }

    @Provide
    Arbitrary<Class<? extends Packet>> fromServer() {
        return Arbitraries.of(RandomPackets.FROM_SERVER);
    }

    @Provide
    Arbitrary<Integer> levels() {
        return Arbitraries.of(ProtocolLevel.MQTT_3_1, ProtocolLevel.MQTT_3_1_1, ProtocolLevel.MQTT_5);
    }
}
