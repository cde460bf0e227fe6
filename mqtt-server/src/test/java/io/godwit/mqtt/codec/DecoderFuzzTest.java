package io.godwit.mqtt.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.ProtocolLevel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever arrives, the decoder gives packets or refuses with a {@link ProtocolException}; nothing else is thrown or kept. */
class DecoderFuzzTest {
    private static final int[] LEVELS = {ProtocolLevel.MQTT_3_1, ProtocolLevel.MQTT_3_1_1, ProtocolLevel.MQTT_5};

    @Test
    void randomBytesGivePacketsOrARefusal() {
        for (int seed = 0; seed < 100_000; seed++) {
            Random random = new Random(seed);
            byte[] bytes = new byte[2 + random.nextInt(60)];
            random.nextBytes(bytes);
            if (random.nextInt(4) > 0) { // mostly frames of the right length, so that the rest is looked at
                bytes[1] = (byte) (bytes.length - 2);
            }
            decodeAll(bytes, random, "random bytes", seed);
        }
    }

    @Test
    void damagedPacketsGivePacketsOrARefusal() {
        List<List<byte[]>> frames = new ArrayList<>();
        for (int level : LEVELS) {
            frames.add(validFrames(level));
        }
        for (int seed = 0; seed < 100_000; seed++) {
            Random random = new Random(seed);
            List<byte[]> valid = frames.get(random.nextInt(frames.size()));
            byte[] bytes = damage(valid.get(random.nextInt(valid.size())), random);
            decodeAll(bytes, random, "damaged packet", seed);
        }
    }

    @Test
    void damagedStreamsInPiecesLeaveNoBuffer() {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
        List<byte[]> valid = validFrames(ProtocolLevel.MQTT_5);
        for (int seed = 0; seed < 3_000; seed++) {
            Random random = new Random(seed);
            EmbeddedChannel channel = new EmbeddedChannel();
            channel.config().setAllocator(allocator);
            channel.pipeline()
                    .addLast(new PacketReadHandler(Frames.serverDecoder(ProtocolLevel.MQTT_5)))
                    .addLast(new ClosesOnRefusal());
            for (int i = 0; i < 5; i++) {
                byte[] frame = valid.get(random.nextInt(valid.size()));
                byte[] bytes = random.nextInt(5) == 0 ? damage(frame, random) : frame;
                int split = random.nextInt(bytes.length + 1);
                channel.pipeline().fireChannelRead(allocator.heapBuffer(64).writeBytes(bytes, 0, split));
                channel.pipeline()
                        .fireChannelRead(allocator.heapBuffer(64).writeBytes(bytes, split, bytes.length - split));
            }
            channel.finishAndReleaseAll();
            assertThat(allocator.metric().usedHeapMemory())
                    .as("bytes kept, seed %s", seed)
                    .isZero();
        }
    }

    /** Closes the connection as a session does; anything but a refusal fails the test. */
    private static final class ClosesOnRefusal extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (cause instanceof ProtocolException) {
                ctx.close();
            } else {
                ctx.fireExceptionCaught(cause);
            }
        }
    }

    private static void decodeAll(byte[] bytes, Random random, String what, int seed) {
        int level = LEVELS[random.nextInt(LEVELS.length)];
        boolean fromClient = random.nextInt(4) > 0;
        PacketDecoder decoder = Frames.decoder(level, fromClient, random.nextInt(8) == 0);
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        try {
            while (decoder.decode(in) != null) {
                // the next one
            }
        } catch (ProtocolException expected) {
            // the other allowed outcome
        } catch (RuntimeException | Error e) {
            fail(what + ", seed " + seed + ", level " + level + ": " + ByteBufUtil.hexDump(bytes), e);
        }
    }

    private static byte[] damage(byte[] frame, Random random) {
        byte[] bytes = frame.clone();
        for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(bytes.length > 2 ? 4 : 3)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = (byte) random.nextInt();
                case 2 -> { // a byte more, by a length that says so
                    bytes = Arrays.copyOf(bytes, bytes.length + 1);
                    bytes[1]++;
                }
                default -> { // a byte less, by a length that says so
                    bytes = Arrays.copyOf(bytes, bytes.length - 1);
                    bytes[1]--;
                }
            }
        }
        return bytes;
    }

    /** Several of each packet that either side sends, short enough that damage meets their structure. */
    private static List<byte[]> validFrames(int level) {
        List<byte[]> frames = new ArrayList<>();
        for (int seed = 0; seed < 20; seed++) {
            addFrames(frames, level, seed, true, RandomPackets.FROM_CLIENT);
            addFrames(frames, level, seed, false, RandomPackets.FROM_SERVER);
        }
        return frames;
    }

    private static void addFrames(
            List<byte[]> frames, int level, int seed, boolean fromClient, List<Class<? extends Packet>> types) {
        for (Class<? extends Packet> type : types) {
            if (type != Auth.class || level == ProtocolLevel.MQTT_5) {
                byte[] frame = Frames.encode(new RandomPackets(seed, level, fromClient).next(type), level);
                if (frame.length < 500) {
                    frames.add(frame);
                }
            }
        }
    }
}
