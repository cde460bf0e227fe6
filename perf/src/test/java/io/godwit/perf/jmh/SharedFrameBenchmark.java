package io.godwit.perf.jmh;

import io.godwit.mqtt.codec.EncodedPublish;
import io.godwit.mqtt.codec.PacketEncoder;
import io.godwit.mqtt.packet.Publish;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A fan-out with a frame that is encoded once and copied for each receiver, compared with encoding a PUBLISH for each.
 * Times are per receiver, of a hundred.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SharedFrameBenchmark {
    private static final int RECEIVERS = 100;

    @Param({"32", "1024", "16384"})
    public int payloadBytes;

    private final PacketEncoder encoder = new PacketEncoder(5, -1, true);
    private final ByteBuf out = Unpooled.directBuffer(64 * 1024);
    private Message message = message(0);

    private static Message message(int bytes) {
        return new Message(
                "plant/7/line/12/sensor/4711", new byte[bytes], Qos.AT_MOST_ONCE, false, 0, MessageProperties.NONE);
    }

    @Setup
    public void setUp() {
        message = message(payloadBytes);
    }

    @TearDown
    public void release() {
        out.release();
    }

    @Benchmark
    @OperationsPerInvocation(RECEIVERS)
    public int oneFrameForAll() {
        EncodedPublish frame = EncodedPublish.of(message, Qos.AT_MOST_ONCE, false, 5, 0);
        int bytes = 0;
        for (int i = 0; i < RECEIVERS; i++) {
            out.clear();
            encoder.encode(frame, 0, false, out);
            bytes += out.writerIndex();
        }
        return bytes;
    }

    @Benchmark
    @OperationsPerInvocation(RECEIVERS)
    public int aFrameForEach() {
        int bytes = 0;
        for (int i = 0; i < RECEIVERS; i++) {
            out.clear();
            encoder.encode(
                    new Publish(
                            0,
                            false,
                            Qos.AT_MOST_ONCE,
                            false,
                            message.topic(),
                            message.payload(),
                            message.properties()),
                    out);
            bytes += out.writerIndex();
        }
        return bytes;
    }
}
