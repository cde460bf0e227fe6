package io.godwit.mqtt.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PingReq;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A SUBSCRIBE or UNSUBSCRIBE stays undecoded while the budget for filters is used up. */
class RequestRoomTest {
    private static final int LEVEL = ProtocolLevel.MQTT_3_1_1;
    private static final TopicFilter FILTER = TopicFilter.parse("a/+").orElseThrow();
    private static final Packet SUBSCRIBE = new Subscribe(1, List.of(new Subscription(FILTER, Qos.AT_MOST_ONCE)));
    private static final Packet UNSUBSCRIBE = new Unsubscribe(2, List.of(FILTER));
    private static final Packet DISCONNECT = new Disconnect(ReasonCode.SUCCESS, null);

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final List<String> told = new ArrayList<>();
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private boolean isFull = true;
    private boolean failsAtPartial;

    RequestRoomTest() {
        channel.config().setAllocator(allocator);
        channel.freezeTime();
        channel.pipeline()
                .addLast(new PacketReadHandler(Frames.serverDecoder(LEVEL), new Room()))
                .addLast(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object msg) {
                        told.add(msg.getClass().getSimpleName());
                        channel.advanceTimeBy(3, TimeUnit.MILLISECONDS);
                    }

                    @Override
                    public void channelInactive(ChannelHandlerContext ctx) {
                        told.add("inactive");
                    }

                    @Override
                    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                        told.add(cause.getMessage());
                    }
                });
    }

    @AfterEach
    void everyBufferIsReleased() {
        channel.finishAndReleaseAll();
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
                .isZero();
    }

    private final class Room implements ReadListener {
        @Override
        public void onPartial(int arrivedBytes, int frameBytes) {
            if (failsAtPartial) {
                throw new IllegalStateException("a bug");
            }
        }

        @Override
        public void onPartialEnded() {}

        @Override
        public void onTurnOver() {
            told.add("turn over");
        }

        @Override
        public void onCaughtUp() {
            told.add("caught up");
        }

        @Override
        public boolean holds(Runnable goOn) {
            return false;
        }

        @Override
        public boolean holdsRequest(Runnable goOn) {
            if (isFull) {
                waiting.add(goOn);
            }
            return isFull;
        }
    }

    private static byte[] bytes(Packet... packets) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Packet packet : packets) {
            all.writeBytes(Frames.encode(packet, LEVEL));
        }
        return all.toByteArray();
    }

    private void read(byte[] bytes, int from, int to) {
        ByteBuf buffer = allocator.heapBuffer(Math.max(1, to - from));
        channel.writeInbound(buffer.writeBytes(Arrays.copyOfRange(bytes, from, to)));
    }

    private void turn() {
        channel.advanceTimeBy(100, TimeUnit.MICROSECONDS);
        channel.runScheduledPendingTasks();
    }

    @Test
    void aRequestAndWhatStandsBehindItWaitForRoom() {
        byte[] all = bytes(PingReq.INSTANCE, SUBSCRIBE, PingReq.INSTANCE);
        read(all, 0, all.length);
        byte[] more = bytes(PingReq.INSTANCE);
        read(more, 0, more.length);
        assertThat(told).containsExactly("PingReq");
        waiting.remove().run();
        assertThat(told).startsWith("PingReq", "Subscribe", "PingReq").contains("PingReq");
        turn();
        assertThat(told.stream().filter("PingReq"::equals)).hasSize(3);
        assertThat(told).endsWith("caught up");
    }

    /** Room is for one packet: the next asks again. */
    @Test
    void eachRequestWaits() {
        byte[] all = bytes(SUBSCRIBE, UNSUBSCRIBE);
        read(all, 0, all.length);
        waiting.remove().run();
        assertThat(told).containsExactly("Subscribe");
        waiting.remove().run();
        assertThat(told).containsExactly("Subscribe", "Unsubscribe", "caught up");
    }

    /** Else many requests could begin while there is budget, and end when there is none. */
    @Test
    void aRequestInPiecesWaitsWhenItIsWhole() {
        byte[] all = bytes(UNSUBSCRIBE);
        for (int split = 1; split < all.length; split++) {
            isFull = false;
            told.clear();
            read(all, 0, split);
            isFull = true;
            read(all, split, all.length);
            assertThat(told).as("split at %d", split).isEmpty();
            waiting.remove().run();
            assertThat(told).containsExactly("Unsubscribe", "caught up");
        }
    }

    @Test
    void whereThereIsRoomNothingWaits() {
        isFull = false;
        byte[] all = bytes(SUBSCRIBE, UNSUBSCRIBE);
        read(all, 0, all.length);
        assertThat(told).containsExactly("Subscribe", "Unsubscribe");
    }

    /** Its client cannot be answered any more, but its last packets count: else its will would be published. */
    @Test
    void whoseConnectionEndsMeanwhileSubscribesToNothing() {
        byte[] all = bytes(SUBSCRIBE, PingReq.INSTANCE, UNSUBSCRIBE, DISCONNECT);
        read(all, 0, all.length);
        channel.pipeline().close(); // like a close by the peer: EmbeddedChannel.close would cancel the turns
        channel.runPendingTasks();
        for (int turns = 0; turns < 5; turns++) {
            turn();
        }
        told.remove("turn over");
        assertThat(told).containsExactly("PingReq", "Disconnect", "inactive");
        waiting.remove().run();
        assertThat(told).hasSize(3);
    }

    /** Else the packets that its client sends meanwhile fill the memory. */
    @Test
    void whatStandsBehindAndTakesLongIsHandledInTurns() {
        byte[] all = bytes(SUBSCRIBE, PingReq.INSTANCE, PingReq.INSTANCE, PingReq.INSTANCE, PingReq.INSTANCE);
        read(all, 0, all.length);
        waiting.remove().run();
        assertThat(told).endsWith("turn over").doesNotContain("caught up");
        for (int turns = 0; turns < 5; turns++) {
            turn();
        }
        assertThat(told).containsOnlyOnce("turn over").endsWith("caught up");
    }

    /** An exception in a task would be lost, with the connection stuck. */
    @Test
    void aBugInALaterTurnIsTold() {
        byte[] all = bytes(SUBSCRIBE, PingReq.INSTANCE, UNSUBSCRIBE);
        read(all, 0, all.length - 2);
        failsAtPartial = true;
        waiting.remove().run();
        assertThat(told).containsExactly("Subscribe", "PingReq", "a bug", "caught up");
    }
}
