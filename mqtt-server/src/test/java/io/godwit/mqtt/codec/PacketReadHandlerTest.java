package io.godwit.mqtt.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.mqtt.packet.Auth;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** For any cut of a connection's bytes into reads, the same packets come out and every buffer is released. */
class PacketReadHandlerTest {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    private final List<EmbeddedChannel> channels = new ArrayList<>();
    private final long unpooledBefore =
            UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();

    @AfterEach
    void everyBufferIsReleased() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {ProtocolLevel.MQTT_3_1, ProtocolLevel.MQTT_3_1_1, ProtocolLevel.MQTT_5})
    void readsSplitAtEveryByteGiveTheSamePackets(int level) {
        List<Packet> packets = conversation(level);
        byte[] bytes = encode(packets, level);
        for (int split = 0; split <= bytes.length; split++) {
            EmbeddedChannel channel = channel(Frames.MAX_PACKET_BYTES);
            channel.writeInbound(buffer(bytes, 0, split));
            channel.writeInbound(buffer(bytes, split, bytes.length));
            expect(channel, packets);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 100})
    void readsOfAFewBytesGiveTheSamePackets(int chunk) {
        List<Packet> packets = conversation(ProtocolLevel.MQTT_5);
        byte[] bytes = encode(packets, ProtocolLevel.MQTT_5);
        EmbeddedChannel channel = channel(Frames.MAX_PACKET_BYTES);
        for (int from = 0; from < bytes.length; from += chunk) {
            channel.writeInbound(buffer(bytes, from, Math.min(bytes.length, from + chunk)));
        }
        expect(channel, packets);
    }

    /** Every proper prefix of a packet waits for more, without any other effect. */
    @ParameterizedTest
    @ValueSource(ints = {ProtocolLevel.MQTT_3_1, ProtocolLevel.MQTT_3_1_1, ProtocolLevel.MQTT_5})
    void everyTruncationOfAValidPacketWaitsForMore(int level) {
        for (Packet packet : conversation(level)) {
            byte[] frame = Frames.encode(packet, level);
            for (int length = 0; length < frame.length; length++) {
                PacketDecoder decoder = Frames.decoder(level, true, packet instanceof Connect);
                ByteBuf beginning = Unpooled.wrappedBuffer(frame, 0, length);
                assertThat(decoder.decode(beginning)).isNull();
                assertThat(beginning.readerIndex()).isZero();
            }
        }
    }

    @Test
    void declaredLengthAllocatesNothingBeforeTheBytesArrive() {
        EmbeddedChannel channel = connected(Integer.MAX_VALUE);
        channel.writeInbound(buffer(Frames.bytes("30 ffffff7f 0001'a'"), 0, 8));
        assertThat(allocator.metric().usedHeapMemory()).isLessThanOrEqualTo(64);

        for (int i = 0; i < 100; i++) {
            channel.writeInbound(buffer(new byte[1000], 0, 1000));
        }
        long held = allocator.metric().usedHeapMemory()
                + UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory()
                - unpooledBefore;
        assertThat(held).isBetween(100_008L, 2 * 100_008L);
    }

    @Test
    void bufferOfALargePacketIsGoneWithThePacket() {
        Publish large = new Publish(0, false, Qos.AT_MOST_ONCE, false, "t", new byte[500_000], MessageProperties.NONE);
        byte[] frame = Frames.encode(large, ProtocolLevel.MQTT_3_1_1);
        EmbeddedChannel channel = connected(Frames.MAX_PACKET_BYTES);
        for (int from = 0; from < frame.length; from += 1400) {
            channel.writeInbound(buffer(frame, from, Math.min(frame.length, from + 1400)));
        }
        expect(channel, List.of(large));
        assertThat(allocator.metric().usedHeapMemory()).isZero();
        assertThat(UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory()).isEqualTo(unpooledBefore);
    }

    /** Growing by a half or more would copy megabytes in one read. */
    @Test
    void bufferOfALargePacketGrowsByBoundedParts() {
        byte[] payload = new byte[5 << 20];
        new Random(1).nextBytes(payload);
        Publish large = new Publish(0, false, Qos.AT_MOST_ONCE, false, "t", payload, MessageProperties.NONE);
        byte[] frame = Frames.encode(large, ProtocolLevel.MQTT_3_1_1);
        EmbeddedChannel channel = connected(frame.length);
        int chunk = 50_001; // cuts parts everywhere
        for (int from = 0; from < frame.length; from += chunk) {
            int to = Math.min(frame.length, from + chunk);
            channel.writeInbound(buffer(frame, from, to));
            long held = UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - unpooledBefore;
            assertThat(held).isLessThanOrEqualTo(to + (long) PacketReadHandler.PART_BYTES);
        }
        Publish read = channel.readInbound();
        assertThat(read.topic()).isEqualTo("t");
        assertThat(Arrays.equals(read.payload(), payload)).isTrue();
        assertThat(UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory()).isEqualTo(unpooledBefore);
    }

    /** It is not to be kept for the next. */
    @Test
    void bufferOfALargePacketIsNotPooled() {
        EmbeddedChannel channel = connected(Frames.MAX_PACKET_BYTES);
        channel.writeInbound(buffer(Frames.bytes("30 c0c407 0001'a'"), 0, 7));
        channel.writeInbound(buffer(new byte[60_000], 0, 60_000));
        assertThat(allocator.metric().usedHeapMemory()).isZero();
        assertThat(UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - unpooledBefore)
                .isBetween(60_000L, 124_000L);
        channel.close();
        assertThat(UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory()).isEqualTo(unpooledBefore);
    }

    /** Else its session would never learn that it has ended. */
    @Test
    void theEndOfAChannelIsToldThoughThereWasNoMemoryForALargePacket() {
        List<String> told = new ArrayList<>();
        EmbeddedChannel channel = new EmbeddedChannel();
        channels.add(channel);
        channel.config().setAllocator(allocator);
        channel.pipeline()
                .addLast(new PacketReadHandler(
                        Frames.serverDecoder(ProtocolLevel.MQTT_3_1_1), ReadListener.NONE, new NoMemory()))
                .addLast(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                        told.add(cause.getMessage());
                        ctx.close();
                    }

                    @Override
                    public void channelInactive(ChannelHandlerContext ctx) {
                        told.add("inactive");
                    }
                });
        channel.writeInbound(buffer(Frames.bytes("30 c0c407 0001'a'"), 0, 7));
        channel.writeInbound(buffer(new byte[60_000], 0, 60_000));
        assertThat(told).containsExactly("no memory", "inactive");
    }

    private static final class NoMemory extends AbstractByteBufAllocator {
        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            throw new OutOfMemoryError("no memory");
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            throw new OutOfMemoryError("no memory");
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    /** The listener is not told of a packet that arrives in one read. */
    @Test
    void theListenerIsToldOfPacketsThatTakeSeveralReadsAndOfTheirEndBeforeTheyAreGiven() {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.freezeTime(); // no turn ends since the machine was busy
        channels.add(channel);
        channel.config().setAllocator(allocator);
        List<String> told = new ArrayList<>();
        ReadListener listener = new RecordingReadListener(told);
        channel.pipeline()
                .addLast(new PacketReadHandler(Frames.serverDecoder(ProtocolLevel.MQTT_3_1_1), listener))
                .addLast(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object msg) {
                        told.add(msg.getClass().getSimpleName());
                    }
                });
        byte[] bytes = Frames.bytes("c000 30 08 0001'a' 1122334455 30 07 0001'b' 11223344 c000 30 06 0001'c' 11");
        int from = 0;
        for (int to : new int[] {3, 5, 14, 23, bytes.length}) {
            channel.writeInbound(buffer(bytes, from, to));
            from = to;
        }
        channel.close();
        assertThat(told)
                .containsExactly(
                        "PingReq", "3 of 10", "ended", "Publish", "2 of 9", "ended", "Publish", "PingReq", "6 of 8",
                        "ended");
    }

    /** A channel that counts its packets, for each of which the clock goes on. */
    private EmbeddedChannel slow(List<String> told, Duration each) {
        return slow(told, each, new LoopTurns());
    }

    private EmbeddedChannel slow(List<String> told, Duration each, LoopTurns turns) {
        EmbeddedChannel channel = new EmbeddedChannel();
        channels.add(channel);
        channel.config().setAllocator(allocator);
        channel.freezeTime();
        ReadListener listener = new RecordingReadListener(told) {
            @Override
            public LoopTurns turns() {
                return turns;
            }
        };
        channel.pipeline()
                .addLast(new PacketReadHandler(Frames.serverDecoder(ProtocolLevel.MQTT_3_1_1), listener))
                .addLast(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object msg) {
                        told.add(((Publish) msg).topic());
                        channel.advanceTimeBy(each.toNanos(), TimeUnit.NANOSECONDS);
                    }

                    @Override
                    public void channelInactive(ChannelHandlerContext ctx) {
                        told.add("inactive");
                    }
                });
        return channel;
    }

    /** Publishes of the topics "from" to "to", the latter not among them. */
    private ByteBuf publishes(int from, int to) {
        List<Packet> packets = IntStream.range(from, to)
                .mapToObj(number -> (Packet) new Publish(
                        0, false, Qos.AT_MOST_ONCE, false, "" + number, new byte[0], MessageProperties.NONE))
                .toList();
        byte[] bytes = encode(packets, ProtocolLevel.MQTT_3_1_1);
        return buffer(bytes, 0, bytes.length);
    }

    private static List<String> topics(int to) {
        return IntStream.range(0, to).mapToObj(Integer::toString).toList();
    }

    @Test
    void aReadThatTakesLongIsHandledInTurnsAndInOrder() {
        List<String> told = new ArrayList<>();
        EmbeddedChannel channel = slow(told, Duration.ofMillis(1));
        channel.writeInbound(publishes(0, 100));
        int turn = 8; // of a millisecond each, looked at after one, two, four and eight
        assertThat(told).hasSize(turn + 1).endsWith("turn over");
        channel.writeInbound(publishes(100, 150)); // read before the pause took effect
        assertThat(told).hasSize(turn + 1);
        for (int turns = 0; !told.contains("caught up") && turns < 20; turns++) {
            int before = told.size();
            channel.advanceTimeBy(100, TimeUnit.MICROSECONDS);
            channel.runScheduledPendingTasks();
            assertThat(told.size() - before).isBetween(1, turn + 1);
        }
        assertThat(told).endsWith("caught up").containsOnlyOnce("turn over");
        told.removeAll(List.of("turn over", "caught up"));
        assertThat(told).isEqualTo(topics(150));
    }

    /** Otherwise a loop takes five milliseconds for each, and a client with a single message waits for all of them. */
    @Test
    void channelsThatWaitShareTheTimeOfOneTurn() {
        LoopTurns shared = new LoopTurns();
        List<EmbeddedChannel> many = new ArrayList<>();
        List<List<String>> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            List<String> told = new ArrayList<>();
            EmbeddedChannel channel = slow(told, Duration.ofNanos(100_000), shared);
            channel.writeInbound(publishes(0, 1_000));
            many.add(channel);
            all.add(told);
        }
        // half a millisecond each, looked at after 1, 2, 4 and 8 packets; alone a turn has 64 packets
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < many.size(); i++) {
                int before = all.get(i).size();
                many.get(i).advanceTimeBy(100, TimeUnit.MICROSECONDS);
                many.get(i).runScheduledPendingTasks();
                assertThat(all.get(i).size() - before).isEqualTo(8);
            }
        }
        for (int i = 0; i < many.size(); i++) {
            turns(many.get(i), all.get(i), "caught up", 1_000);
        }
        assertThat(all).allSatisfy(told -> {
            told.removeAll(List.of("turn over", "caught up"));
            assertThat(told).isEqualTo(topics(1_000));
        });
        assertThat(shared.turnNanos())
                .as("the full time of a turn is free, because no channel waits")
                .isEqualTo(LoopTurns.ROUND_NANOS);
    }

    /** However many wait: a turn costs a timer and a look at the channels. */
    @Test
    void aTurnHasALeastTime() {
        LoopTurns turns = new LoopTurns();
        for (int i = 0; i < 1_000; i++) {
            turns.onWait();
        }
        assertThat(turns.turnNanos()).isEqualTo(LoopTurns.LEAST_NANOS);
    }

    @Test
    void whatWasReadBeforeTheChannelEndedIsHandedOn() {
        List<String> told = new ArrayList<>();
        EmbeddedChannel channel = slow(told, Duration.ofMillis(1));
        channel.writeInbound(publishes(0, 100));
        int before = told.size();
        end(channel);
        assertThat(told).hasSize(before); // the loop is not stopped by who closes, either
        turns(channel, told, "inactive", 9);
        told.remove("turn over");
        assertThat(told).hasSize(101).endsWith("inactive");
        assertThat(told.subList(0, 100)).isEqualTo(topics(100));
    }

    /** Like a close by the peer: {@link EmbeddedChannel#close} would cancel the turns, as no event loop does. */
    private static void end(EmbeddedChannel channel) {
        channel.pipeline().close();
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
    }

    /** Runs turns until {@code end} is reported, each of which reports at most {@code most} events. */
    private static void turns(EmbeddedChannel channel, List<String> told, String end, int most) {
        for (int turns = 0; !told.contains(end) && turns < 200; turns++) {
            int before = told.size();
            channel.advanceTimeBy(100, TimeUnit.MICROSECONDS);
            channel.runScheduledPendingTasks();
            assertThat(told.size() - before).isBetween(1, most);
        }
    }

    /** Thousands of filters match each. */
    @Test
    void aTurnEndsAfterTwoPacketsThatTakeLong() {
        List<String> told = new ArrayList<>();
        EmbeddedChannel channel = slow(told, Duration.ofMillis(60));
        channel.writeInbound(publishes(0, 100));
        assertThat(told).containsExactly("0", "1", "turn over");
        turns(channel, told, "caught up", 3);
        told.removeAll(List.of("turn over", "caught up"));
        assertThat(told).isEqualTo(topics(100));
    }

    /** Else many clients that send and close could fill the memory, or leave the loop no time for others. */
    @Test
    void endedChannelsWaitForTheirTurnsWithinABound() {
        List<EmbeddedChannel> ended = new ArrayList<>();
        List<List<String>> all = new ArrayList<>();
        long handled = 0;
        for (int i = 0; i < 32; i++) {
            List<String> told = new ArrayList<>();
            EmbeddedChannel channel = slow(told, Duration.ofMillis(60));
            channel.writeInbound(publishes(0, 4).capacity(1 << 20));
            int before = told.size();
            end(channel);
            handled += told.stream().skip(before).filter(topics(4)::contains).count();
            ended.add(channel);
            all.add(told);
        }
        assertThat(handled).isZero(); // the end of a channel is no turn
        int most = (int) (PacketReadHandler.MAX_ENDED_BYTES >> 20);
        ByteBuf packet = publishes(0, 1);
        int packetBytes = packet.readableBytes();
        packet.release();
        for (int i = 0; i < 32; i++) {
            turns(ended.get(i), all.get(i), "inactive", 3);
            all.get(i).remove("turn over");
            if (i < most) {
                assertThat(all.get(i)).containsExactly("0", "1", "2", "3", "inactive");
            } else {
                assertThat(all.get(i)).containsExactly("0", "1", "dropped " + 2 * packetBytes, "inactive");
            }
        }
        List<String> told = new ArrayList<>();
        EmbeddedChannel channel = slow(told, Duration.ofMillis(60));
        channel.writeInbound(publishes(0, 4).capacity(1 << 20));
        end(channel);
        turns(channel, told, "inactive", 3);
        assertThat(told).contains("3", "inactive"); // there is room again
    }

    /** Its client has not logged in. */
    @Test
    void whatStandsBehindAConnectIsThrownAwayUndecodedWhenTheChannelEnds() {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.freezeTime(); // no turn ends since the machine was busy
        channels.add(channel);
        channel.config().setAllocator(allocator);
        RecordingReadListener listener = new RecordingReadListener(new ArrayList<>());
        listener.holds = true;
        channel.pipeline().addLast(new PacketReadHandler(PacketDecoder.forServer(1_000), listener));
        Connect connect = new Connect(ProtocolLevel.MQTT_3_1_1, true, 0, "c", null, null, null);
        byte[] bytes = encode(List.of(connect, PingReq.INSTANCE, PingReq.INSTANCE), ProtocolLevel.MQTT_3_1_1);
        channel.writeInbound(buffer(bytes, 0, bytes.length));
        channel.close();
        assertThat(channel.<Packet>readInbound()).isInstanceOf(Connect.class);
        assertThat(channel.<Packet>readInbound()).isNull();
    }

    /** Decoded it may take far more memory, and its sender has not logged in. */
    @Test
    void whatStandsBehindAConnectIsNotDecodedUntilThatIsAnswered() {
        EmbeddedChannel channel = new EmbeddedChannel();
        channels.add(channel);
        channel.config().setAllocator(allocator);
        channel.freezeTime();
        RecordingReadListener listener = new RecordingReadListener(new ArrayList<>());
        listener.holds = true;
        channel.pipeline().addLast(new PacketReadHandler(PacketDecoder.forServer(1_000), listener));
        Connect connect = new Connect(ProtocolLevel.MQTT_3_1_1, true, 0, "c", null, null, null);
        byte[] bytes = encode(List.of(connect, PingReq.INSTANCE, PingReq.INSTANCE), ProtocolLevel.MQTT_3_1_1);
        channel.writeInbound(buffer(bytes, 0, bytes.length));
        assertThat(channel.<Packet>readInbound()).isInstanceOf(Connect.class);
        assertThat(channel.<Packet>readInbound()).isNull();
        channel.writeInbound(buffer(bytes, bytes.length - 2, bytes.length)); // for example, from the same TLS record
        assertThat(channel.<Packet>readInbound()).isNull();
        listener.held.get(0).run();
        while (channel.runScheduledPendingTasks() >= 0) {
            channel.advanceTimeBy(1, TimeUnit.MILLISECONDS);
        }
        expect(channel, List.of(PingReq.INSTANCE, PingReq.INSTANCE, PingReq.INSTANCE));
        assertThat(listener.held).hasSize(1);
    }

    @Test
    void aReadThatIsHandledFastTakesOneTurn() {
        List<String> told = new ArrayList<>();
        EmbeddedChannel channel = slow(told, Duration.ofNanos(10_000));
        channel.writeInbound(publishes(0, 400));
        assertThat(told).isEqualTo(topics(400));
    }

    @Test
    void packetsBeforeAFaultAreGivenAndWhatFollowsIsNot() {
        EmbeddedChannel channel = connected(Frames.MAX_PACKET_BYTES);
        assertThatThrownBy(() -> channel.writeInbound(buffer(Frames.bytes("c000 0000 c000"), 0, 6)))
                .isInstanceOfSatisfying(
                        ProtocolException.class,
                        e -> assertThat(e.reasonCode()).isEqualTo(ReasonCode.MALFORMED_PACKET));
        channel.writeInbound(buffer(Frames.bytes("c000"), 0, 2));
        expect(channel, List.of(PingReq.INSTANCE));
    }

    @Test
    void faultInTheMiddleOfAGatheredFrameReleasesIt() {
        EmbeddedChannel channel = connected(Frames.MAX_PACKET_BYTES);
        channel.writeInbound(buffer(Frames.bytes("30 80"), 0, 2));
        assertThatThrownBy(() -> channel.writeInbound(buffer(Frames.bytes("8080 80"), 0, 3)))
                .isInstanceOf(ProtocolException.class);
        assertThat(allocator.metric().usedHeapMemory()).isZero();
    }

    @Test
    void closeReleasesTheBeginningOfAFrame() {
        EmbeddedChannel channel = connected(Frames.MAX_PACKET_BYTES);
        channel.writeInbound(buffer(Frames.bytes("30 20 0001'a'"), 0, 5));
        assertThat(allocator.metric().usedHeapMemory()).isPositive();
        channel.close();
        assertThat(allocator.metric().usedHeapMemory()).isZero();
    }

    @Test
    void packetsBehindTheOneThatClosedTheChannelAreNotGiven() {
        EmbeddedChannel channel = connected(Frames.MAX_PACKET_BYTES);
        List<Object> seen = new ArrayList<>();
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                seen.add(msg);
                ctx.close();
            }
        });
        channel.writeInbound(buffer(Frames.bytes("c000 c000 c000"), 0, 6));
        assertThat(seen).hasSize(1);
    }

    /** CONNECT and one of each packet a client sends, of the PUBLISH two. */
    private static List<Packet> conversation(int level) {
        List<Packet> packets = new ArrayList<>();
        for (Class<? extends Packet> type : RandomPackets.FROM_CLIENT) {
            if (type != Auth.class || level == ProtocolLevel.MQTT_5) {
                packets.add(new RandomPackets(7, level, true).next(type));
                if (type == Publish.class) {
                    packets.add(new RandomPackets(8, level, true).next(type));
                }
            }
        }
        return packets;
    }

    private static byte[] encode(List<Packet> packets, int level) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        packets.forEach(packet -> bytes.writeBytes(Frames.encode(packet, level)));
        return bytes.toByteArray();
    }

    private EmbeddedChannel channel(int maxPacketBytes) {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.freezeTime(); // no turn ends since the machine was busy
        channel.config().setAllocator(allocator);
        channel.pipeline().addLast(new PacketReadHandler(PacketDecoder.forServer(maxPacketBytes)));
        channels.add(channel);
        return channel;
    }

    /** A channel whose CONNECT of MQTT 3.1.1 has been read. */
    private EmbeddedChannel connected(int maxPacketBytes) {
        EmbeddedChannel channel = channel(maxPacketBytes);
        Connect connect = new Connect(ProtocolLevel.MQTT_3_1_1, true, 0, "c", null, null, null);
        byte[] frame = Frames.encode(connect, ProtocolLevel.MQTT_3_1_1);
        channel.writeInbound(buffer(frame, 0, frame.length));
        expect(channel, List.of(connect));
        return channel;
    }

    private ByteBuf buffer(byte[] bytes, int from, int to) {
        return allocator.heapBuffer(Math.max(1, to - from)).writeBytes(Arrays.copyOfRange(bytes, from, to));
    }

    private static void expect(EmbeddedChannel channel, List<Packet> packets) {
        for (Packet packet : packets) {
            Record read = channel.readInbound();
            assertThat(read).as("%s", packet).isNotNull();
            assertThat(Frames.content(read)).isEqualTo(Frames.content((Record) packet));
        }
        assertThat(channel.inboundMessages()).isEmpty();
    }
}
