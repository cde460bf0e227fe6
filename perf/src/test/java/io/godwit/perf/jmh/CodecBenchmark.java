package io.godwit.perf.jmh;

import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.codec.PacketEncoder;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One packet through the codec: decoded from bytes in a socket's buffer, and encoded to an outbound buffer. The payload
 * has 32 bytes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CodecBenchmark {
    private static final String TOPIC = "plant/7/line/12/sensor/4711";

    @Param({"4", "5"})
    public int protocolLevel;

    @Param({"PUBLISH_QOS0", "PUBLISH_QOS1", "PUBACK", "SUBSCRIBE"})
    public Kind kind;

    /** What is coded. */
    public enum Kind {
        PUBLISH_QOS0,
        PUBLISH_QOS1,
        PUBACK,
        SUBSCRIBE;

        private Packet packet() {
            return switch (this) {
                case PUBLISH_QOS0 -> publish(0, Qos.AT_MOST_ONCE);
                case PUBLISH_QOS1 -> publish(7, Qos.AT_LEAST_ONCE);
                case PUBACK -> new PubAck(7);
                case SUBSCRIBE -> {
                    TopicFilter filter = TopicFilter.parse("plant/+/line/12/#").orElseThrow();
                    yield new Subscribe(7, List.of(new Subscription(filter, Qos.AT_LEAST_ONCE)));
                }
            };
        }

        private static Publish publish(int packetId, Qos qos) {
            return new Publish(packetId, false, qos, false, TOPIC, new byte[32], MessageProperties.NONE);
        }
    }

    private Packet packet = Kind.PUBACK.packet();
    private PacketDecoder decoder = PacketDecoder.forServer(1024);
    private PacketEncoder encoder = new PacketEncoder(4, -1, true);
    private final ByteBuf in = Unpooled.directBuffer(1024);
    private final ByteBuf out = Unpooled.directBuffer(1024);

    @Setup
    public void setUp() {
        packet = kind.packet();
        encoder = new PacketEncoder(protocolLevel, -1, true);
        decoder = PacketDecoder.forServer(1024);
        encoder.encode(new Connect(protocolLevel, true, 60, "c", null, null, null), in);
        decoder.decode(in); // learns the protocol level
        in.clear();
        encoder.encode(packet, in);
    }

    @TearDown
    public void release() {
        in.release();
        out.release();
    }

    @Benchmark
    public Packet decode() {
        in.readerIndex(0);
        return decoder.decode(in);
    }

    @Benchmark
    public int encode() {
        out.clear();
        encoder.encode(packet, out);
        return out.writerIndex();
    }
}
