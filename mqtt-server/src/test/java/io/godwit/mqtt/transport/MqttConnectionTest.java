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
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.ReasonCode;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.quota.TenantAccounts;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.ThrottleCause;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.throttle.TenantResource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
    private static final ListenerConfig CONFIG = listener(0, 0);

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final LoopContext loop = new LoopContext(0, channel.eventLoop());
    private final Recorder recorder = new Recorder();
    private final List<BrokerEvent> events = new ArrayList<>();
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final MqttReports reports = new MqttReports(new MqttMetrics(meters), events::add);
    private final HalfReceived halfReceived = new HalfReceived(1 << 20);
    private MqttConnection connection = connection(CONFIG);

    @BeforeEach
    void bind() {
        channel.freezeTime(); // no turn ends since the machine was busy
        loop.bindToCurrentThread();
    }

    @AfterEach
    void finish() {
        channel.finishAndReleaseAll();
    }

    private static ListenerConfig listener(long maxConnBandwidth, int maxPublishRate) {
        return ListenerConfig.tcp(
                new InetSocketAddress(0),
                new ListenerLimits(1024, maxConnBandwidth, maxPublishRate, Duration.ofSeconds(3), 0, 0, 0, 0));
    }

    private MqttConnection connection(ListenerConfig config) {
        PacketDecoder decoder = PacketDecoder.forServer(config.limits().maxPacketBytes());
        MqttConnection made = new MqttConnection(
                channel, loop, new ListenerScope(config, reports, halfReceived, Bans.NONE), decoder, () -> {});
        made.setHandler(recorder);
        return made;
    }

    private void open() {
        PacketDecoder decoder = PacketDecoder.forServer(1024);
        channel.pipeline().addLast(ReadMeter.ofPlain(connection), new PacketReadHandler(decoder, connection));
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
    void whatIsDroppedOfAnEndedConnectionIsCountedAndSaid() {
        accept(0);
        connection.onDropped(4711);
        channel.pipeline().close();
        channel.runPendingTasks();
        assertThat(recorder.closed).isEqualTo("connection lost, and 4711 bytes read from it were dropped");
        assertThat(meters.get("godwit.mqtt.ignored.bytes").functionCounter().count())
                .isEqualTo(4711);
    }

    /** Answers owed to such a client must not grow without limit. */
    @Test
    void whoDoesNotReadItsAnswersIsReadNoFurther() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(512, 1024));
        StuckSocket socket = new StuckSocket();
        channel.pipeline().addFirst(socket);
        accept(10);
        answer(1024);
        assertThat(channel.isWritable())
                .as("the output is full, so deliveries stop")
                .isFalse();
        assertThat(channel.config().isAutoRead())
                .as("the acknowledgements of the client are still read")
                .isTrue();

        answer(2048);
        assertThat(channel.config().isAutoRead()).isFalse();
        assertThat(pauses(ThrottleCause.UNREAD_ANSWERS)).isEqualTo(1);

        socket.isStuck = false;
        channel.flush();
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Test
    void whoReadsNoneOfItsAnswersIsGoneAfterItsKeepAlive() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(512, 1024));
        channel.pipeline().addFirst(new StuckSocket());
        accept(10);
        answer(4096);
        sweep(15);
        assertThat(recorder.closed).isNull();
        sweep(3);
        assertThat(recorder.closed).isEqualTo("KEEP_ALIVE_TIMEOUT");
    }

    private void answer(int bytes) {
        for (int i = 0; i < bytes / 2; i++) {
            connection.send(new PingResp());
        }
        channel.runPendingTasks();
    }

    /** Accepts nothing while it is stuck. */
    private static final class StuckSocket extends ChannelOutboundHandlerAdapter {
        private boolean isStuck = true;

        @Override
        public void flush(ChannelHandlerContext ctx) {
            if (!isStuck) {
                ctx.flush();
            }
        }
    }

    @Test
    @Clause("MQTT31-3.1-7")
    void aConnectionWithoutConnectIsClosedInTime() {
        open();
        sweep(3);
        assertThat(recorder.closed).isNull();
        sweep(1);
        assertThat(recorder.closed).isEqualTo("no CONNECT in time");
        assertThat(channel.isOpen()).isFalse();
        assertThat(events).contains(new BrokerEvent.ConnectTimedOut("embedded"));
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
    void theHandlerIsToldOfASecondOnlyWhileItWantsThat() {
        accept(60);
        sweep(10);
        assertThat(recorder.ticks).isEqualTo(1);
        recorder.wantsTicks = true;
        sweep(10);
        assertThat(recorder.ticks).isEqualTo(1);
        connection.needTicks();
        sweep(10);
        assertThat(recorder.ticks).isEqualTo(11);
        recorder.wantsTicks = false;
        sweep(10);
        assertThat(recorder.ticks).isEqualTo(12);
    }

    @Test
    void theHandlerIsToldOfASecondWhenItMayWriteNoMore() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(512, 1024));
        channel.pipeline().addFirst(new StuckSocket());
        accept(60);
        sweep(1);
        assertThat(recorder.ticks).isEqualTo(1);
        answer(1024);
        sweep(1);
        assertThat(recorder.ticks).isEqualTo(2);
    }

    /** Its session waits for acknowledgements, which a node that is no member any more never gets. */
    @Test
    void aConnectionIsEndedAtOnceWhateverIsUnderWay() {
        accept(60);
        CompletableFuture<Void> ended = loop.endPresent(TimeUnit.SECONDS.toNanos(1));
        channel.runPendingTasks();
        assertThat(recorder.closed).isEqualTo("SERVER_SHUTTING_DOWN");
        assertThat(written())
                .singleElement()
                .extracting(packet -> ((Disconnect) packet).reasonCode())
                .isEqualTo(ReasonCode.SERVER_SHUTTING_DOWN);
        assertThat(channel.isOpen()).isFalse();
        assertThat(ended).isCompleted();
    }

    @Test
    void aConnectionWithoutConnectIsEndedToo() {
        open();
        CompletableFuture<Void> ended = loop.endPresent(TimeUnit.SECONDS.toNanos(1));
        channel.runPendingTasks();
        assertThat(recorder.closed).isEqualTo("server shutting down");
        assertThat(written()).isEmpty();
        assertThat(ended).isCompleted();
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
        connection = connection(listener(1000, 0));
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

    /** There may be a QoS 0 publish among them, which nobody sends again. */
    @Test
    void whatWasReadBeforeTheServerClosedIsCounted() {
        accept(0);
        Publish publish = new Publish(0, false, Qos.AT_MOST_ONCE, false, "t", new byte[0], MessageProperties.NONE);
        connection.channelRead(channel.pipeline().lastContext(), publish);
        connection.disconnect(ReasonCode.SESSION_TAKEN_OVER, null);
        connection.channelRead(channel.pipeline().lastContext(), publish);
        assertThat(recorder.packets).isEqualTo(1);
        assertThat(meters.get("godwit.mqtt.packets.ignored").functionCounter().count())
                .isEqualTo(1);
    }

    private double pauses(ThrottleCause cause) {
        return meters.get("godwit.mqtt.pauses")
                .tag("cause", cause.name().toLowerCase(Locale.ROOT))
                .functionCounter()
                .count();
    }

    /** Another client of the tenant has used up the deliver rate of all. */
    @Test
    void nothingIsSentWhileTheTenantOwes() {
        long[] most = new long[TenantResource.values().length];
        Arrays.fill(most, TenantAccount.ANY);
        most[TenantResource.DELIVER_RATE.ordinal()] = 10;
        TenantId tenant = new TenantId("birds");
        TenantAccount account = new TenantAccounts(
                        each -> most, () -> channel.eventLoop().ticker().nanoTime())
                .of(tenant);
        accept(0);
        connection.shareRates(account);
        for (int i = 0; i < 10; i++) {
            account.delivered(1);
        }
        assertThat(connection.isWritable()).isTrue();
        account.delivered(1);
        assertThat(connection.isOverBandwidth())
                .as("no limit is reported, because nothing waits to be sent")
                .isFalse();
        assertThat(connection.isWritable()).isFalse();
        assertThat(connection.isOverBandwidth()).isTrue();
        assertThat(pauses(ThrottleCause.TENANT_DELIVERY)).isEqualTo(1);
        assertThat(channel.config().isAutoRead()).isTrue();

        pass(90);
        assertThat(recorder.writables).isZero();
        pass(20);
        assertThat(recorder.writables).isEqualTo(1);
        assertThat(connection.isWritable()).isTrue();
        assertThat(pauses(ThrottleCause.TENANT_DELIVERY)).isEqualTo(1);
    }

    /** Packets already read are passed on: the pause lasts until they are paid for. */
    @Test
    void thePublishRatePausesReadingAndDiscardsNothing() {
        connection = connection(listener(0, 100));
        accept(0);
        Publish publish = new Publish(0, false, Qos.AT_MOST_ONCE, false, "t", new byte[0], MessageProperties.NONE);
        for (int i = 0; i < 100; i++) {
            connection.channelRead(channel.pipeline().lastContext(), publish);
        }
        assertThat(channel.config().isAutoRead()).isTrue();
        for (int i = 0; i < 200; i++) {
            connection.channelRead(channel.pipeline().lastContext(), publish);
        }
        assertThat(channel.config().isAutoRead()).isFalse();
        assertThat(recorder.packets).isEqualTo(300);
        assertThat(pauses(ThrottleCause.PUBLISH_RATE)).isEqualTo(1);
        assertThat(pauses(ThrottleCause.BANDWIDTH_IN)).isZero();

        pass(1900);
        assertThat(channel.config().isAutoRead()).isFalse();
        pass(100);
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(pauses(ThrottleCause.PUBLISH_RATE)).isEqualTo(1);
    }

    private void pass(int millis) {
        for (int i = 0; i < millis; i += 10) {
            channel.advanceTimeBy(10, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    @Test
    void aConnectionThatIsOverIsHeldByNoLongPause() {
        connection = connection(listener(0, 1));
        accept(0);
        Publish publish = new Publish(0, false, Qos.AT_MOST_ONCE, false, "t", new byte[0], MessageProperties.NONE);
        for (int i = 0; i < 1000; i++) {
            connection.channelRead(channel.pipeline().lastContext(), publish);
        }
        pass(100);
        connection.close("the end");
        pass(1000);
        assertThat(channel.runScheduledPendingTasks())
                .as("no scheduled task is left")
                .isEqualTo(-1);
    }

    /** Only PUBLISH counts for the rate. */
    @Test
    void otherPacketsAreNotPublishes() {
        connection = connection(listener(0, 1));
        accept(0);
        for (int i = 0; i < 10; i++) {
            connection.channelRead(channel.pipeline().lastContext(), new PingResp());
        }
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Test
    void throttlingIsToldWhenItBeginsAndWhenThereWasNoneForASecond() {
        accept(0);
        for (int i = 0; i < 3; i++) {
            connection.pauseReading(Connection.Pause.UNACKNOWLEDGED);
            connection.resumeReading(Connection.Pause.UNACKNOWLEDGED);
            sweep(1);
        }
        connection.pauseReading(Connection.Pause.NODE_BUDGET);
        sweep(5);
        connection.pauseReading(Connection.Pause.CONNECTING);

        assertThat(pauses(ThrottleCause.UNACKNOWLEDGED)).isEqualTo(3);
        assertThat(events)
                .containsExactly(
                        new BrokerEvent.ThrottlingBegan("embedded", null, ThrottleCause.UNACKNOWLEDGED),
                        new BrokerEvent.ThrottlingBegan("embedded", null, ThrottleCause.NODE_BUDGET),
                        new BrokerEvent.ThrottlingEnded("embedded", null, ThrottleCause.UNACKNOWLEDGED));

        connection.close("the end");
        channel.runPendingTasks();
        assertThat(events)
                .last()
                .isEqualTo(new BrokerEvent.ThrottlingEnded("embedded", null, ThrottleCause.NODE_BUDGET));
    }

    @Test
    void aSubscribeThatFindsNoRoomWaitsAndItsConnectionIsNotRead() {
        accept(0);
        channel.writeInbound(
                Unpooled.wrappedBuffer(new byte[] {0x10, 13, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0, 1, 'c'}));
        loop.filterRoom().enter(FilterRoom.MAX_FILTERS);
        channel.writeInbound(Unpooled.wrappedBuffer(new byte[] {(byte) 0x82, 6, 0, 1, 0, 1, 'a', 0}));
        assertThat(recorder.packets).isEqualTo(1);
        assertThat(channel.config().isAutoRead()).isFalse();
        assertThat(pauses(ThrottleCause.NODE_BUDGET)).isEqualTo(1);
        loop.filterRoom().leave(1);
        channel.runPendingTasks();
        assertThat(recorder.packets).isEqualTo(2);
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    private HalfPacket enter(int frameBytes) {
        HalfPacket packet = new HalfPacket(admitted -> {}, frameBytes, false);
        halfReceived.enter(packet);
        return packet;
    }

    /** An eighth of the budget is for CONNECT packets, the rest for others of up to a quarter. */
    @Test
    void aLargePacketWaitsForRoomAndIsReadOnWhenThereIsSome() {
        accept(0);
        List<HalfPacket> others =
                IntStream.range(0, 4).mapToObj(i -> enter(220_000)).toList();

        connection.onPartial(10_000, 100_000);
        assertThat(channel.config().isAutoRead()).isFalse();
        assertThat(pauses(ThrottleCause.HALF_RECEIVED)).isEqualTo(1);
        sweep(3 * HalfPacket.PATIENCE_SECONDS);
        assertThat(connection.isOpen())
                .as("the client is not blamed while it waits for room")
                .isTrue();

        halfReceived.leave(others.get(2));
        channel.runPendingTasks();
        assertThat(channel.config().isAutoRead()).isTrue();
        connection.onPartialEnded();
        assertThat(halfReceived.announcedBytes()).isEqualTo(3 * 220_000);
    }

    @Test
    void aSmallPacketNeedsNoRoom() {
        accept(0);
        IntStream.range(0, 4).forEach(i -> enter(229_376));
        connection.onPartial(1, HalfReceived.SMALL_BYTES);
        assertThat(channel.config().isAutoRead()).isTrue();
        connection.onPartialEnded();
    }

    /** A slow sender may continue while nobody else needs the budget. */
    @Test
    void whoTakesTooLongWhileOthersWaitIsCutOff() {
        accept(0);
        sweep(2); // at rest
        connection.onPartial(100, 200_000);
        sweep(3 * HalfPacket.PATIENCE_SECONDS);
        assertThat(connection.isOpen()).isTrue();

        IntStream.range(0, 5).forEach(i -> enter(200_000));
        sweep(1);
        assertThat(recorder.closed).contains("200000");
        assertThat(written())
                .singleElement()
                .extracting(packet -> ((Disconnect) packet).reasonCode())
                .isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        assertThat(events).contains(new BrokerEvent.PacketAbandoned("embedded", null, 200_000, 100));
    }

    /** Although it has been silent for longer than a closed connection lingers. */
    @Test
    void whoIsCutOffForItsPacketHasTimeToReadWhy() {
        StuckSocket socket = new StuckSocket();
        channel.pipeline().addFirst(socket);
        accept(0);
        connection.onPartial(100, 200_000);
        sweep(3 * HalfPacket.PATIENCE_SECONDS);
        IntStream.range(0, 5).forEach(i -> enter(200_000));
        sweep(1);
        assertThat(recorder.closed).contains("200000");
        assertThat(channel.isOpen())
                .as("the socket has not taken DISCONNECT yet")
                .isTrue();

        sweep(3);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void whoKeepsSendingIsNotCutOff() {
        accept(0);
        connection.onPartial(1, 5_000_000);
        enter(5_000_000);
        for (int second = 1; second <= 60; second++) {
            connection.onPartial(second * HalfPacket.MIN_BYTES_PER_SECOND, 5_000_000);
            sweep(1);
        }
        assertThat(connection.isOpen()).isTrue();
    }

    @Test
    void aConnectLargerThanItsShareOfTheRoomIsCutOff() {
        open();
        connection.onPartial(100, (1 << 20) / 8 + 1);
        channel.runPendingTasks();
        assertThat(recorder.closed).isNotNull();
        assertThat(events).hasAtLeastOneElementOfType(BrokerEvent.PacketAbandoned.class);
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

    @Test
    void aBugInATickEndsTheConnectionOnly() {
        accept(0);
        connection.setHandler(new Recorder() {
            @Override
            public boolean onTick() {
                throw new IllegalStateException("a bug, for the test");
            }
        });
        sweep(1);
        assertThat(connection.isOpen()).isFalse();
        assertThat(written())
                .singleElement()
                .extracting(packet -> ((Disconnect) packet).reasonCode())
                .isEqualTo(ReasonCode.UNSPECIFIED_ERROR);
    }

    private void connectWithTwoPingsBehind() {
        connection.setHandler(new Recorder() {
            @Override
            public void onPacket(Packet packet) {
                super.onPacket(packet);
                if (packet instanceof Connect) {
                    connection.pauseReading(Connection.Pause.CONNECTING); // a store is asked
                }
            }
        });
        open();
        channel.writeInbound(Unpooled.wrappedBuffer(
                new byte[] {0x10, 13, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 60, 0, 1, 'c', (byte) 0xC0, 0},
                new byte[] {(byte) 0xC0, 0}));
    }

    /** Nothing decoded is kept for a client that has not logged in. */
    @Test
    void whatStandsBehindAConnectIsHandedOnOnceThatIsAnswered() {
        connectWithTwoPingsBehind();
        connection.setHandler(recorder);
        channel.runPendingTasks();
        assertThat(recorder.packets).isZero();
        connection.resumeReading(Connection.Pause.CONNECTING);
        channel.runPendingTasks();
        assertThat(recorder.packets).isEqualTo(2);
    }

    /** Its session may be another connection's by now. */
    @Test
    void whatStandsBehindAConnectIsNotHandedOnWhenThatIsAnsweredWithAClose() {
        connectWithTwoPingsBehind();
        connection.setHandler(recorder);
        connection.disconnect(ReasonCode.SESSION_TAKEN_OVER, null);
        connection.resumeReading(Connection.Pause.CONNECTING);
        channel.runPendingTasks();
        sweep(3);
        assertThat(recorder.closed).isEqualTo(ReasonCode.SESSION_TAKEN_OVER.name());
        assertThat(recorder.packets).isZero();
    }

    private static class Recorder implements PacketHandler {
        @Nullable
        String closed;

        int closings;
        int writables;
        int packets;
        int ticks;
        boolean wantsTicks;

        @Override
        public void onPacket(Packet packet) {
            packets++;
        }

        @Override
        public void onReadComplete() {}

        @Override
        public void onWritable() {
            writables++;
        }

        @Override
        public boolean onTick() {
            ticks++;
            return wantsTicks;
        }

        @Override
        public void onShutdown() {}

        @Override
        public void onClosed(String reason) {
            closed = reason;
            closings++;
        }
    }
}
