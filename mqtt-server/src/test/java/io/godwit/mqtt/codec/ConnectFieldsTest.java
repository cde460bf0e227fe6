package io.godwit.mqtt.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.field.WillPacket;
import io.godwit.plugin.message.Qos;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** A CONNECT with everything, byte by byte as the standard lays it out. */
class ConnectFieldsTest {
    private static Connect decode(String hex) {
        byte[] frame = Frames.bytes(hex);
        return (Connect) PacketDecoder.forServer(Frames.MAX_PACKET_BYTES).decode(Unpooled.wrappedBuffer(frame));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    @Clause({"MQTT5-3.1.3-1", "MQTT5-3.1.2-9", "MQTT5-3.1.2-17", "MQTT5-3.1.2-19"})
    void fieldsAreReadInTheirOrder() {
        Connect connect = decode(
                "10 2a 0004'MQTT' 05 ee 0102 05 1100000e10 0002'id' 05 1800000007 0002'wt' 0003'msg' 0001'u' 0002'pw'");

        assertThat(connect.protocolLevel()).isEqualTo(5);
        assertThat(connect.cleanStart()).isTrue();
        assertThat(connect.keepAliveSeconds()).isEqualTo(0x0102);
        assertThat(connect.sessionExpirySeconds()).isEqualTo(3600);
        assertThat(connect.clientId()).isEqualTo("id");
        WillPacket will = connect.will();
        assertThat(will.topic()).isEqualTo("wt");
        assertThat(text(will.payload())).isEqualTo("msg");
        assertThat(will.qos()).isEqualTo(Qos.AT_LEAST_ONCE);
        assertThat(will.retain()).isTrue();
        assertThat(will.delaySeconds()).isEqualTo(7);
        assertThat(connect.userName()).isEqualTo("u");
        assertThat(text(connect.password())).isEqualTo("pw");
    }

    @Test
    @Clause({"MQTT311-3.1.3-1", "MQTT311-3.1.2-9", "MQTT311-3.1.2-19", "MQTT311-3.1.2-21"})
    void fieldsOfTheOlderVersionAreReadInTheirOrder() {
        Connect connect = decode("10 1e 0004'MQTT' 04 d4 0000 0002'id' 0002'wt' 0003'msg' 0001'u' 0002'pw'");

        assertThat(connect.protocolLevel()).isEqualTo(4);
        assertThat(connect.cleanStart()).isFalse();
        assertThat(connect.clientId()).isEqualTo("id");
        WillPacket will = connect.will();
        assertThat(will.topic()).isEqualTo("wt");
        assertThat(text(will.payload())).isEqualTo("msg");
        assertThat(will.qos()).isEqualTo(Qos.EXACTLY_ONCE);
        assertThat(will.retain()).isFalse();
        assertThat(connect.userName()).isEqualTo("u");
        assertThat(text(connect.password())).isEqualTo("pw");
    }
}
