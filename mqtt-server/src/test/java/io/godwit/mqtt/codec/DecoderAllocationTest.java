package io.godwit.mqtt.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The garbage of decoding a PUBLISH: only the packet and its payload, when its topic equals the last one. */
class DecoderAllocationTest {
    private static final int PACKETS = 2_000;
    private static final int PAYLOAD_BYTES = 64;

    /** A Publish of 48 bytes (72 where references are not compressed), a byte array with its header of at most 24. */
    private static final long MOST_BYTES = 72 + 24 + PAYLOAD_BYTES;

    @ParameterizedTest
    @ValueSource(ints = {ProtocolLevel.MQTT_3_1_1, ProtocolLevel.MQTT_5})
    void repeatedTopicCostsThePacketAndThePayloadOnly(int level) {
        ByteBuf frames = Unpooled.buffer();
        PacketEncoder encoder = new PacketEncoder(level, -1, true);
        for (int i = 1; i <= PACKETS; i++) {
            byte[] payload = new byte[PAYLOAD_BYTES];
            encoder.encode(
                    new Publish(i, false, Qos.AT_LEAST_ONCE, false, "a/topic", payload, MessageProperties.NONE),
                    frames);
        }
        PacketDecoder decoder = Frames.serverDecoder(level);
        decodeAll(decoder, frames);

        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(thread);
        decodeAll(decoder, frames);
        long allocated = threads.getThreadAllocatedBytes(thread) - before;

        assertThat(allocated / PACKETS).isLessThanOrEqualTo(MOST_BYTES);
    }

    private static void decodeAll(PacketDecoder decoder, ByteBuf frames) {
        frames.readerIndex(0);
        int decoded = 0;
        while (decoder.decode(frames) != null) {
            decoded++;
        }
        assertThat(decoded).isEqualTo(PACKETS);
    }
}
