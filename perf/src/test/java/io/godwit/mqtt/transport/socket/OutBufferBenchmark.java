package io.godwit.mqtt.transport.socket;

import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.transport.connection.Connection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
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
 * The outbound buffer: the small packets of one iteration appended to one buffer and written once, compared with a
 * buffer and a write for each. Does not include system calls, and so not what the buffer saves of these.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class OutBufferBenchmark {
    private static final Packet PACKET = new PubAck(7);

    @Param({"1", "16", "256"})
    public int packets;

    private SinkConnections connections = new SinkConnections();
    private Connection connection = connections.open();
    private EmbeddedChannel bare = new EmbeddedChannel();

    @Setup
    public void setUp() {
        connections.close();
        connections = new SinkConnections(); // belongs to the thread that measures
        connection = connections.open();
        bare = new EmbeddedChannel();
    }

    @TearDown
    public void close() {
        connections.close();
        bare.finishAndReleaseAll();
    }

    @Benchmark
    public long appended() {
        for (int i = 0; i < packets; i++) {
            connection.send(PACKET);
        }
        connections.runLoop();
        return connections.bytes();
    }

    @Benchmark
    public int writtenEach() {
        int bytes = 0;
        for (int i = 0; i < packets; i++) {
            ByteBuf buffer = bare.alloc().directBuffer(16);
            buffer.writeInt(0x40020007);
            bare.write(buffer, bare.voidPromise());
        }
        bare.flush();
        for (ByteBuf buffer = bare.readOutbound(); buffer != null; buffer = bare.readOutbound()) {
            bytes += buffer.readableBytes();
            buffer.release();
        }
        return bytes;
    }
}
