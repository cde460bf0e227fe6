package io.godwit.mqtt.transport.ws;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.transport.config.ListenerConfig;
import io.godwit.mqtt.transport.config.ListenerLimits;
import io.godwit.mqtt.transport.connection.PacketHandler;
import io.godwit.mqtt.transport.limit.Bans;
import io.godwit.mqtt.transport.limit.HalfReceived;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.mqtt.transport.socket.ListenerScope;
import io.godwit.mqtt.transport.socket.MqttConnection;
import io.godwit.mqtt.transport.socket.ReadMeter;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameEncoder;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against Netty's WebSocket codec as the client. */
class WebSocketFramesTest {
    private static final int BYTES_PER_SECOND = 5_000_000;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final LoopContext loop = new LoopContext(0, channel.eventLoop());
    private final EmbeddedChannel client =
            new EmbeddedChannel(new WebSocket13FrameEncoder(true), new WebSocket13FrameDecoder(false, false, 1 << 20));
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final MqttConnection connection;
    private String closed = "";

    WebSocketFramesTest() {
        loop.bindToCurrentThread();
        ListenerConfig config = new ListenerConfig(
                new InetSocketAddress(0),
                new ListenerLimits(1024, BYTES_PER_SECOND, 0, Duration.ofSeconds(3), 0, 0, 0, 0),
                null,
                "/mqtt",
                List.of());
        connection = new MqttConnection(
                channel,
                loop,
                new ListenerScope(
                        config,
                        new MqttReports(new MqttMetrics(meters), EventListener.NONE),
                        HalfReceived.UNLIMITED,
                        Bans.NONE),
                PacketDecoder.forServer(1024),
                () -> {});
        connection.setHandler(new Closings());
        channel.pipeline()
                .addLast(ReadMeter.ofWire(connection), new WebSocketFrames(connection), new Sink(), connection);
        channel.pipeline().fireChannelActive();
    }

    @AfterEach
    void finish() {
        channel.finishAndReleaseAll();
        client.finishAndReleaseAll();
    }

    private byte[] bytes(WebSocketFrame frame) {
        client.writeOutbound(frame);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ByteBuf part = client.readOutbound(); part != null; part = client.readOutbound()) {
            all.writeBytes(ByteBufUtil.getBytes(part));
            part.release();
        }
        return all.toByteArray();
    }

    private void receive(byte[] bytes) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes));
        channel.runPendingTasks();
    }

    private <F extends WebSocketFrame> F next(Class<F> type) {
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            client.writeInbound(part);
        }
        Object frame = client.readInbound();
        assertThat(frame).isInstanceOf(type);
        return type.cast(frame);
    }

    /** Who never answers the Close frame is cut off, however much he sends instead. */
    @Test
    @Tag("full")
    void aFloodDoesNotKeepAClosingWebSocketOpen() {
        channel.freezeTime();
        connection.close("the end");
        byte[] flood = bytes(new BinaryWebSocketFrame(Unpooled.wrappedBuffer(new byte[2 * BYTES_PER_SECOND])));
        for (int second = 0; second < 10 && channel.isOpen(); second++) {
            receive(flood);
            assertThat(channel.config().isAutoRead()).isTrue();
            channel.advanceTimeBy(1, TimeUnit.SECONDS);
            channel.runScheduledPendingTasks();
            loop.sweep();
        }
        assertThat(channel.isOpen()).isFalse();
        assertThat(meters.get("godwit.mqtt.ignored.bytes").functionCounter().count())
                .isGreaterThanOrEqualTo(flood.length);
    }

    /** However the payload is cut into frames, with pings between, and the bytes into reads. [MQTT5-6.0.0-2] */
    @Property(tries = 100)
    @Clause({"MQTT5-6.0.0-2", "MQTT311-6.0.0-2"})
    void thePayloadArrivesHoweverItIsCut(@ForAll long seed) {
        WebSocketFramesTest fresh = new WebSocketFramesTest(); // one object serves all tries of a property
        try {
            fresh.sendCut(seed);
        } finally {
            fresh.finish();
        }
    }

    private void sendCut(long seed) {
        Random random = new Random(seed);
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        ByteArrayOutputStream wire = new ByteArrayOutputStream();
        int pings = 0;
        for (int message = random.nextInt(4); message >= 0; message--) {
            for (int frames = 1 + random.nextInt(3), frame = 0; frame < frames; frame++) {
                byte[] payload = new byte[random.nextInt(random.nextInt(10) == 0 ? 70_000 : 300)];
                random.nextBytes(payload);
                sent.writeBytes(payload);
                boolean isLast = frame == frames - 1;
                ByteBuf content = Unpooled.wrappedBuffer(payload);
                wire.writeBytes(bytes(
                        frame == 0
                                ? new BinaryWebSocketFrame(isLast, 0, content)
                                : new ContinuationWebSocketFrame(isLast, 0, content)));
                if (random.nextInt(4) == 0) {
                    wire.writeBytes(bytes(new PingWebSocketFrame(Unpooled.wrappedBuffer(new byte[] {1, 2, 3}))));
                    pings++;
                }
            }
        }
        byte[] all = wire.toByteArray();
        for (int from = 0; from < all.length; ) {
            int to = Math.min(all.length, from + 1 + random.nextInt(all.length < 2000 ? 5 : 5000));
            byte[] piece = new byte[to - from];
            System.arraycopy(all, from, piece, 0, piece.length);
            receive(piece);
            from = to;
        }

        assertThat(received.toByteArray()).isEqualTo(sent.toByteArray());
        for (int i = 0; i < pings; i++) {
            PongWebSocketFrame pong = next(PongWebSocketFrame.class);
            assertThat(ByteBufUtil.getBytes(pong.content())).containsExactly(1, 2, 3);
            pong.release();
        }
        assertThat(connection.isOpen()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 125, 126, 65_535, 65_536})
    @Clause({"MQTT5-6.0.0-1", "MQTT311-6.0.0-1"})
    void aBufferIsOneBinaryFrame(int length) {
        byte[] payload = new byte[length];
        new Random(length).nextBytes(payload);
        channel.writeOutbound(Unpooled.wrappedBuffer(payload));

        BinaryWebSocketFrame frame = next(BinaryWebSocketFrame.class);
        assertThat(frame.isFinalFragment()).isTrue();
        assertThat(ByteBufUtil.getBytes(frame.content())).isEqualTo(payload);
        frame.release();
    }

    /** [MQTT5-6.0.0-1] */
    @Test
    @Clause({"MQTT5-6.0.0-1", "MQTT311-6.0.0-1"})
    void aTextFrameEndsTheConnection() {
        receive(bytes(new TextWebSocketFrame("hello")));

        assertThat(closed).contains("text frame");
        CloseWebSocketFrame frame = next(CloseWebSocketFrame.class);
        assertThat(frame.statusCode()).isEqualTo(1003);
        frame.release();
        assertThat(channel.isOpen()).isFalse();
    }

    /**
     * First byte, second byte: not masked, reserved bits, reserved opcode, ping in pieces, long ping, continuation of
     * nothing.
     */
    @ParameterizedTest
    @ValueSource(ints = {0x8200, 0xC280, 0x8380, 0x0980, 0x89FE, 0x8080})
    void aBreachOfTheFramingEndsTheConnection(int header) {
        receive(new byte[] {(byte) (header >> 8), (byte) header});

        assertThat(closed).isNotEmpty();
        CloseWebSocketFrame frame = next(CloseWebSocketFrame.class);
        assertThat(frame.statusCode()).isEqualTo(1002);
        frame.release();
    }

    @Test
    void theClientsCloseIsAnsweredInKind() {
        receive(bytes(new CloseWebSocketFrame(1001, "leaving")));

        assertThat(closed).isEqualTo("the client closed the WebSocket");
        CloseWebSocketFrame answer = next(CloseWebSocketFrame.class);
        assertThat(answer.statusCode()).isEqualTo(1001);
        answer.release();
        assertThat(channel.isOpen()).isFalse();
    }

    /** Even when MQTT has ended: both sides must still end the WebSocket. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ourCloseWaitsForTheClients(boolean isAgreed) {
        if (isAgreed) {
            connection.closeAsAgreed("for the test");
        } else {
            connection.close("for the test");
        }
        channel.runPendingTasks();
        CloseWebSocketFrame frame = next(CloseWebSocketFrame.class);
        assertThat(frame.statusCode()).isEqualTo(1000);
        frame.release();
        assertThat(channel.isOpen()).isTrue();

        receive(bytes(new BinaryWebSocketFrame(Unpooled.wrappedBuffer(new byte[] {1}))));
        assertThat(received.size()).as("data after our close frame is ignored").isZero();
        receive(bytes(new CloseWebSocketFrame(1000, "")));
        assertThat(channel.isOpen()).isFalse();
    }

    /** An announced length costs nothing: no frame is gathered. */
    @Test
    void aHugeFrameIsReadAsItComes() {
        receive(new byte[] {(byte) 0x82, (byte) 0xFF, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8, 9});

        assertThat(received.toByteArray()).containsExactly(7, 8, 9);
        assertThat(connection.isOpen()).isTrue();
    }

    private final class Sink extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            ByteBuf bytes = (ByteBuf) msg;
            received.writeBytes(ByteBufUtil.getBytes(bytes));
            bytes.release();
        }
    }

    private final class Closings implements PacketHandler {
        @Override
        public void onPacket(Packet packet) {}

        @Override
        public void onReadComplete() {}

        @Override
        public void onWritable() {}

        @Override
        public boolean onTick() {
            return false;
        }

        @Override
        public void onShutdown() {}

        @Override
        public void onClosed(DisconnectCause cause, String reason) {
            closed = reason;
        }
    }
}
