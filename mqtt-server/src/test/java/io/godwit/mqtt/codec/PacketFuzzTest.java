package io.godwit.mqtt.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * For any input, the decoder returns packets or refuses with a {@link ProtocolException}: it throws nothing else,
 * allocates nothing that the bytes do not account for, and does not depend on how they are cut into reads. Decoded
 * packets could have been sent: encoded and decoded again, they are the same.
 *
 * <p>A failure names its seed and type; {@link FuzzInput} makes the same bytes from them.
 * {@code mvn -Plong -pl mqtt-server -am verify -Dtest=PacketFuzzTest -Dfuzz.inputs=10000000 -Dfuzz.seed=1} runs any
 * number.
 */
@Tag("slow")
class PacketFuzzTest {
    private static final int INPUTS_PER_TYPE = 4_000;

    /**
     * Packets are objects around their bytes: references, lists, strings of two bytes a character, a refusal and its
     * text.
     */
    private static final long ALLOWED_BYTES = 8_192;

    private static final long ALLOWED_BYTES_PER_BYTE = 64;

    /** The protocol's own limit, so that lengths may lie as far as they can. */
    private static final int MAX_PACKET_BYTES = 268_435_460;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final long thread = Thread.currentThread().getId();
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);

    static Stream<Class<? extends Packet>> types() {
        Set<Class<? extends Packet>> types = new LinkedHashSet<>(RandomPackets.FROM_CLIENT);
        types.addAll(RandomPackets.FROM_SERVER);
        return types.stream();
    }

    @ParameterizedTest
    @MethodSource("types")
    void packetsOrARefusalComeOut(Class<? extends Packet> type) {
        for (int seed = 0; seed < INPUTS_PER_TYPE; seed++) {
            check(seed, type);
        }
    }

    @Test
    @Tag("long")
    void millionsOfInputs() {
        long inputs = Long.getLong("fuzz.inputs", 2_000_000);
        long seed = Long.getLong("fuzz.seed", System.nanoTime());
        List<Class<? extends Packet>> types = types().toList();
        long begin = System.nanoTime();
        for (long i = 0; i < inputs; i++) {
            check(seed + i, types.get((int) (i % types.size())));
        }
        System.out.printf(
                "fuzz: %d inputs from seed %d, nothing found, %d s%n",
                inputs, seed, (System.nanoTime() - begin) / 1_000_000_000);
    }

    private void check(long seed, Class<? extends Packet> type) {
        FuzzInput input = FuzzInput.of(seed, type);
        try {
            Outcome whole = decodeWhole(input);
            if (!input.valid().isEmpty()) {
                assertThat(whole.refusal()).isNull();
                assertThat(contents(whole.packets())).isEqualTo(contents(input.valid()));
            }
            for (Packet packet : whole.packets()) {
                comesThroughAgain(packet, input);
            }
            if (seed % 8 == 0) {
                Outcome inPieces = decodeInPieces(input, new Random(seed));
                assertThat(contents(inPieces.packets())).isEqualTo(contents(whole.packets()));
                assertThat(reason(inPieces)).isEqualTo(reason(whole));
            }
        } catch (RuntimeException | Error e) {
            fail(
                    "seed " + seed + ", " + type.getSimpleName() + ", level " + input.level() + ": "
                            + ByteBufUtil.hexDump(input.bytes()),
                    e);
        }
    }

    private record Outcome(List<Packet> packets, @Nullable ProtocolException refusal) {}

    private static @Nullable Object reason(Outcome outcome) {
        return outcome.refusal() == null ? null : outcome.refusal().reasonCode();
    }

    private static List<Object> contents(List<Packet> packets) {
        List<Object> contents = new ArrayList<>();
        packets.forEach(packet -> contents.add(Frames.content((Record) packet)));
        return contents;
    }

    private static PacketDecoder decoder(FuzzInput input) {
        if (!input.fromClient()) {
            return PacketDecoder.forClient(input.level(), MAX_PACKET_BYTES);
        }
        PacketDecoder decoder = PacketDecoder.forServer(MAX_PACKET_BYTES);
        if (!input.isFirst()) {
            decoder.decode(Unpooled.wrappedBuffer(Frames.connect(input.level())));
        }
        return decoder;
    }

    private Outcome decodeWhole(FuzzInput input) {
        long allowed = ALLOWED_BYTES + ALLOWED_BYTES_PER_BYTE * input.bytes().length;
        long before = threads.getThreadAllocatedBytes(thread);
        Outcome outcome = decode(input);
        if (threads.getThreadAllocatedBytes(thread) - before > allowed) { // perhaps for classes met for the first time
            before = threads.getThreadAllocatedBytes(thread);
            decode(input);
            assertThat(threads.getThreadAllocatedBytes(thread) - before).isLessThanOrEqualTo(allowed);
        }
        return outcome;
    }

    private static Outcome decode(FuzzInput input) {
        PacketDecoder decoder = decoder(input);
        ByteBuf in = Unpooled.wrappedBuffer(input.bytes());
        List<Packet> packets = new ArrayList<>();
        try {
            for (Packet packet = decoder.decode(in); packet != null; packet = decoder.decode(in)) {
                packets.add(packet);
            }
        } catch (ProtocolException e) {
            return new Outcome(packets, e);
        }
        return new Outcome(packets, null);
    }

    private static void comesThroughAgain(Packet packet, FuzzInput input) {
        byte[] frame = Frames.encode(packet, input.level());
        boolean isConnect = packet instanceof Connect;
        PacketDecoder decoder = Frames.decoder(input.level(), input.fromClient(), isConnect);
        Packet again = decoder.decode(Unpooled.wrappedBuffer(frame));
        assertThat(again).isNotNull();
        assertThat(Frames.content((Record) again)).isEqualTo(Frames.content((Record) packet));
    }

    private Outcome decodeInPieces(FuzzInput input, Random random) {
        Collector collector = new Collector();
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.freezeTime(); // no turn ends since the machine was busy
        channel.config().setAllocator(allocator);
        channel.pipeline().addLast(new PacketReadHandler(decoder(input)), collector);
        byte[] bytes = input.bytes();
        int longest = 1 + random.nextInt(bytes.length + 1);
        for (int from = 0; from < bytes.length; ) {
            int to = Math.min(bytes.length, from + 1 + random.nextInt(longest));
            channel.pipeline().fireChannelRead(allocator.heapBuffer(to - from).writeBytes(bytes, from, to - from));
            from = to;
            assertThat(allocator.metric().usedHeapMemory()).isLessThanOrEqualTo(64 + 2L * from);
        }
        channel.finishAndReleaseAll();
        assertThat(allocator.metric().usedHeapMemory()).isZero();
        return new Outcome(collector.packets, collector.refusal);
    }

    /** Takes the packets, and the refusal; anything else that is thrown comes out of the channel. */
    private static final class Collector extends ChannelInboundHandlerAdapter {
        final List<Packet> packets = new ArrayList<>();

        @Nullable
        ProtocolException refusal;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            assertThat(refusal).as("no packet follows a refusal").isNull();
            packets.add((Packet) msg);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (cause instanceof ProtocolException e && refusal == null) {
                refusal = e;
            } else {
                ctx.fireExceptionCaught(cause);
            }
        }
    }
}
