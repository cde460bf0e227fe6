package io.godwit.mqtt.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.field.ProtocolLevel;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a {@link PacketReadHandler} treats packets already read while their sender is held back. */
class HeldBackTest {
    /** The first message that its sender is held back for. */
    private static final int FIRST = 3;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final List<String> told = new ArrayList<>();
    private final List<Runnable> goOn = new ArrayList<>();
    private final List<Runnable> room = new ArrayList<>();
    private boolean isHeldBack;

    @BeforeEach
    void open() {
        channel.config().setAllocator(allocator);
        channel.freezeTime();
        ReadListener listener = new RecordingReadListener(told) {
            @Override
            public boolean isHeldBack() {
                return isHeldBack;
            }

            @Override
            public void onHeldBack(Runnable action) {
                goOn.add(action);
            }

            @Override
            public boolean holdsRequest(Runnable action) {
                boolean isFirst = room.isEmpty();
                room.add(action);
                return isFirst;
            }
        };
        channel.pipeline()
                .addLast(new PacketReadHandler(Frames.serverDecoder(ProtocolLevel.MQTT_3_1_1), listener))
                .addLast(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object msg) {
                        if (!(msg instanceof Publish publish)) {
                            told.add("request");
                            return;
                        }
                        told.add(publish.topic());
                        isHeldBack = Integer.parseInt(publish.topic()) >= FIRST;
                    }

                    @Override
                    public void channelInactive(ChannelHandlerContext ctx) {
                        told.add("inactive");
                    }
                });
    }

    @AfterEach
    void everyBufferIsReleased() {
        while (!goOn.isEmpty()) {
            letGo();
            pass();
        }
        channel.finishAndReleaseAll();
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
                .isZero();
    }

    private void read(int from, int to) {
        ByteBuf all = allocator.buffer();
        for (int i = from; i < to; i++) {
            Publish publish =
                    new Publish(0, false, Qos.AT_MOST_ONCE, false, "" + i, new byte[0], MessageProperties.NONE);
            all.writeBytes(Unpooled.wrappedBuffer(Frames.encode(publish, ProtocolLevel.MQTT_3_1_1)));
        }
        channel.writeInbound(all);
    }

    private void letGo() {
        isHeldBack = false;
        List<Runnable> now = List.copyOf(goOn);
        goOn.clear();
        now.forEach(Runnable::run);
    }

    private void pass() {
        channel.advanceTimeBy(10, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }

    private static List<String> topics(int to) {
        return IntStream.range(0, to).mapToObj(Integer::toString).toList();
    }

    /** One read may bring thousands of small messages, all of which would be under way for each sender. */
    @Test
    void nothingOfWhatWasReadIsHandedOnAndNothingIsRead() {
        read(0, 10);
        assertThat(told).containsExactly("0", "1", "2", "3", "turn over");
        assertThat(goOn).hasSize(1);
        read(10, 12); // bytes that the socket had delivered before the pause took effect
        pass();
        assertThat(told).hasSize(5);
        assertThat(goOn).as("only one request to go on is sent").hasSize(1);
    }

    @Test
    void eachTimeItMayGoOnOneMoreIsHandedOnUntilAllAre() {
        read(0, 6);
        read(6, 8);
        for (int next = FIRST + 1; next < 8; next++) {
            letGo();
            pass();
            assertThat(told).contains("" + next).doesNotContain("" + (next + 1));
        }
        assertThat(told).endsWith("7", "caught up").containsOnlyOnce("turn over");
        told.removeAll(List.of("turn over", "caught up"));
        assertThat(told).isEqualTo(topics(8));
        assertThat(goOn).isEmpty();
    }

    /** Nothing waits: the next read finds it held back. */
    @Test
    void theLastMessageOfAReadHoldsBackTheNextRead() {
        read(0, FIRST + 1);
        assertThat(told).isEqualTo(topics(FIRST + 1));
        read(FIRST + 1, FIRST + 2);
        assertThat(told).containsExactly("0", "1", "2", "3", "turn over");
        letGo();
        assertThat(told).endsWith("4", "caught up");
    }

    @Test
    void whatAnEndedChannelHasLeftIsHandedOnAfterwards() {
        read(0, 6);
        channel.pipeline().close();
        channel.runPendingTasks();
        pass();
        assertThat(told).endsWith("3", "turn over");
        letGo();
        assertThat(told).endsWith("4");
        pass();
        assertThat(told).endsWith("4").doesNotContain("inactive");
        letGo();
        told.remove("turn over");
        assertThat(told).hasSize(7).endsWith("5", "inactive");
        assertThat(told.subList(0, 6)).isEqualTo(topics(6));
    }

    /** It arrived in pieces, so no later read would cause another check. */
    @Test
    void aRequestThatGetsRoomWhileItsSenderIsHeldBackIsHandedOn() {
        byte[] subscribe = Frames.encode(
                new Subscribe(1, List.of(new Subscription(TopicFilter.parse("a").orElseThrow(), Qos.AT_MOST_ONCE))),
                ProtocolLevel.MQTT_3_1_1);
        channel.writeInbound(allocator.buffer().writeBytes(subscribe, 0, 3));
        channel.writeInbound(allocator.buffer().writeBytes(subscribe, 3, subscribe.length - 3));
        assertThat(room).as("room for the request was requested").hasSize(1);
        isHeldBack = true; // for a message that is under way
        room.get(0).run();
        letGo();
        pass();
        assertThat(told).contains("request");
    }

    /**
     * For example, the server closed the connection meanwhile: its buffers are released, and a late call does no harm.
     */
    @Test
    void aHandlerThatIsRemovedGivesBackWhatWaits() {
        read(0, 6);
        channel.pipeline().remove(PacketReadHandler.class);
        letGo();
        assertThat(told).endsWith("3", "turn over");
    }
}
