package io.godwit.mqtt.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.codec.PacketDecoder;
import io.godwit.mqtt.codec.PacketReadHandler;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Time-outs, batching and closing, on an embedded channel with a hand-moved sweep. */
class MqttConnectionTest {
    private static final ListenerConfig CONFIG = listener(0);

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final LoopContext loop = new LoopContext(0, channel.eventLoop());
    private final Recorder recorder = new Recorder();
    private MqttConnection connection = connection(CONFIG);

    @BeforeEach
    void bind() {
        loop.bindToCurrentThread();
    }

    @AfterEach
    void finish() {
        channel.finishAndReleaseAll();
    }

    private static ListenerConfig listener(long maxConnBandwidth) {
        return ListenerConfig.tcp(
                new InetSocketAddress(0),
                new ListenerLimits(1024, maxConnBandwidth, Duration.ofSeconds(3), 0, 0, 0, 0));
    }

    private MqttConnection connection(ListenerConfig config) {
        PacketDecoder decoder = PacketDecoder.forServer(config.limits().maxPacketBytes());
        MqttConnection made = new MqttConnection(
                channel,
                loop,
                config,
                new MqttReports(new MqttMetrics(new SimpleMeterRegistry()), EventListener.NONE),
                decoder,
                () -> {});
        made.setHandler(recorder);
        return made;
    }

    private void open() {
        channel.pipeline().addLast(ReadMeter.ofPlain(connection), new PacketReadHandler(PacketDecoder.forServer(1024)));
        channel.pipeline().addLast(connection);
        channel.pipeline().fireChannelActive();
    }

    private void accept(int keepAliveSeconds) {
        open();
        connection.setUp(new Connect(5, true, keepAliveSeconds, "c", null, null, null), keepAliveSeconds);
        connection.accepted();
    }

    private void sweep(int times) {
        for (int i = 0; i < times; i++) {
            loop.sweep();
            channel.runPendingTasks();
        }
    }

    private List<Packet> written() {
        PacketDecoder decoder = PacketDecoder.forClient(5, 1024);
        List<Packet> packets = new ArrayList<>();
        for (ByteBuf buffer = channel.readOutbound(); buffer != null; buffer = channel.readOutbound()) {
            for (Packet packet = decoder.decode(buffer); packet != null; packet = decoder.decode(buffer)) {
                packets.add(packet);
            }
            buffer.release();
        }
        return packets;
    }

    @Test
    void aConnectionWithoutConnectIsClosedInTime() {
        open();
        sweep(3);
        assertThat(recorder.closed).isNull();
        sweep(1);
        assertThat(recorder.closed).isEqualTo("no CONNECT in time");
        assertThat(channel.isOpen()).isFalse();
    }

    /** Half-open connections that trickle bytes must go too. */
    @Test
    void bytesThatTrickleInDoNotKeepAConnectionWithoutConnect() {
        open();
        for (int second = 0; second < 4; second++) {
            connection.onBytesRead(1);
            sweep(1);
        }
        assertThat(recorder.closed).isEqualTo("no CONNECT in time");
    }

    @Test
    void aHandshakeThatIsNotDoneInTimeIsCut() throws Exception {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(false);
        SslHandler tls = new SslHandler(engine);
        tls.setHandshakeTimeoutMillis(0);
        channel.pipeline().addLast(tls);
        open();
        sweep(3);
        assertThat(channel.isOpen()).isTrue();
        sweep(1);
        assertThat(recorder.closed).isEqualTo("no CONNECT in time");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void theTimeTheServerTakesForAConnectIsNotTheClients() {
        open();
        connection.pauseReading(Connection.Pause.CONNECTING);
        sweep(20);
        assertThat(connection.isOpen()).isTrue();
    }

    @Test
    @Clause({"MQTT5-3.1.2-22", "MQTT311-3.1.2-24"})
    void silenceBeyondOneAndAHalfKeepAlivesEndsTheConnection() {
        accept(4);
        sweep(6);
        assertThat(connection.isOpen()).isTrue();
        sweep(1);
        assertThat(recorder.closed).isNotNull();
        assertThat(written())
                .singleElement()
                .extracting(packet -> ((Disconnect) packet).reasonCode())
                .isEqualTo(ReasonCode.KEEP_ALIVE_TIMEOUT);
    }

    @ParameterizedTest
    @EnumSource(names = {"CLIENT_IDENTIFIER_NOT_VALID", "BAD_USER_NAME_OR_PASSWORD", "SERVER_BUSY"})
    @Clause({"MQTT5-3.1.3-8", "MQTT5-3.2.2-6", "MQTT5-3.2.2-7", "MQTT5-4.13.2-1"})
    void aRefusalIsOneConnackAndTheEnd(ReasonCode code) {
        open();
        connection.setUp(new Connect(5, true, 0, "c", null, null, null), 0);
        connection.refuse(code, null);
        connection.refuse(code, null);
        connection.disconnect(code, null);
        channel.runPendingTasks();
        assertThat(written()).singleElement().isInstanceOfSatisfying(ConnAck.class, connAck -> {
            assertThat(connAck.reasonCode()).isEqualTo(code);
            assertThat(connAck.sessionPresent()).isFalse();
        });
        assertThat(connection.isOpen()).isFalse();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aPausedReaderIsNotBlamedForSilence() {
        accept(4);
        connection.pauseReading(Connection.Pause.UNACKNOWLEDGED);
        sweep(20);
        assertThat(connection.isOpen()).isTrue();
        connection.resumeReading(Connection.Pause.UNACKNOWLEDGED);
        sweep(7);
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void framesOfOneIterationAreOneWrite() {
        accept(0);
        for (int i = 0; i < 100; i++) {
            connection.send(new PingResp());
        }
        assertThat(channel.outboundMessages()).isEmpty();
        channel.runPendingTasks();
        assertThat(channel.outboundMessages()).hasSize(1);
        assertThat(written()).hasSize(100);
    }

    @Test
    void theBandwidthLimitPausesReadingAndSending() {
        connection = connection(listener(1000));
        accept(0);
        connection.onBytesRead(3000);
        assertThat(channel.config().isAutoRead()).isFalse();
        for (int i = 0; i < 1500; i++) {
            connection.send(new PingResp());
        }
        channel.runPendingTasks();
        assertThat(connection.isWritable()).isFalse();
        assertThat(written()).hasSize(1500);

        channel.advanceTimeBy(10, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(connection.isWritable()).isTrue();
        assertThat(recorder.writables).isEqualTo(1);
    }

    @Test
    void theSessionHearsOfTheEndOnce() {
        accept(0);
        connection.disconnect(ReasonCode.SESSION_TAKEN_OVER, null);
        connection.close("again");
        channel.runPendingTasks();
        channel.close();
        channel.runPendingTasks();
        assertThat(recorder.closed).isEqualTo("SESSION_TAKEN_OVER");
        assertThat(recorder.closings).isEqualTo(1);
    }

    @Test
    void aBugInTheHandlerEndsTheConnectionOnly() {
        accept(0);
        connection.fail(new IllegalStateException("a bug, for the test"));
        channel.runPendingTasks();
        assertThat(recorder.closed).isEqualTo("UNSPECIFIED_ERROR");
    }

    private static final class Recorder implements PacketHandler {
        @Nullable
        String closed;

        int closings;
        int writables;

        @Override
        public void onPacket(Packet packet) {}

        @Override
        public void onReadComplete() {}

        @Override
        public void onWritable() {
            writables++;
        }

        @Override
        public void onTick() {}

        @Override
        public void onShutdown() {}

        @Override
        public void onClosed(String reason) {
            closed = reason;
            closings++;
        }
    }
}
