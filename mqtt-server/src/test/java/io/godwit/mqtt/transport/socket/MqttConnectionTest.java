package io.godwit.mqtt.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.mqtt.packet.ConnAck;
import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.ConnectProgress;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.netty.buffer.Unpooled;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Time-outs, batching and closing, on an embedded channel with a hand-moved sweep. */
class MqttConnectionTest extends MqttConnectionFixture {
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

    @Test
    @Clause("MQTT31-3.1-7")
    void aConnectionWithoutConnectIsClosedInTime() {
        open();
        sweep(3);
        assertThat(recorder.closed).isNull();
        sweep(1);
        assertThat(recorder.closed).isEqualTo("no CONNECT in time");
        assertThat(channel.isOpen()).isFalse();
        assertThat(events).containsExactly(new BrokerEvent.ConnectTimedOut("embedded"));
    }

    @Test
    void aPeerThatLeavesBeforeItsConnectIsAnsweredIsReportedWithHowFarItCame() {
        open();
        String address = connection.remoteAddress();
        channel.pipeline().fireChannelInactive();
        assertThat(recorder.closed).isEqualTo("connection lost");
        assertThat(events).containsExactly(new BrokerEvent.ConnectAbandoned(address, ConnectProgress.NOTHING_SENT));
        assertThat(meters.get("godwit.mqtt.connects.abandoned")
                        .tag("progress", "nothing_sent")
                        .functionCounter()
                        .count())
                .isOne();
    }

    @Test
    void bytesThatAreNoWholeConnectAreNotNothing() {
        open();
        connection.onBytesRead(1);
        channel.pipeline().fireExceptionCaught(new IOException("reset"));
        channel.pipeline().fireChannelInactive();
        assertThat(events)
                .containsExactly(
                        new BrokerEvent.ConnectAbandoned(connection.remoteAddress(), ConnectProgress.NO_CONNECT));
    }

    @Test
    void aConnectWhosePeerDoesNotWaitForTheAnswerIsReported() {
        open();
        connection.onBytesRead(20);
        connection.setUp(new Connect(5, true, 60, "c", null, null, null), 60);
        channel.pipeline().fireUserEventTriggered(SslCloseCompletionEvent.SUCCESS);
        channel.pipeline().fireChannelInactive();
        assertThat(events)
                .containsExactly(
                        new BrokerEvent.ConnectAbandoned(connection.remoteAddress(), ConnectProgress.NOT_ANSWERED));
    }

    @Test
    void theEndsOfOtherConnectionsAreNotReportedAsAbandoned() {
        accept(0);
        channel.pipeline().fireChannelInactive();
        assertThat(events).isEmpty();
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
        connection.disconnect(code, DisconnectCause.OPERATOR, null);
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
        assertThat(recorder.cause).isEqualTo(DisconnectCause.SHUTDOWN);
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

    /** There may be a QoS 0 publish among them, which nobody sends again. */
    @Test
    void whatWasReadBeforeTheServerClosedIsCounted() {
        accept(0);
        Publish publish = new Publish(0, false, Qos.AT_MOST_ONCE, false, "t", new byte[0], MessageProperties.NONE);
        connection.channelRead(channel.pipeline().lastContext(), publish);
        connection.disconnect(ReasonCode.SESSION_TAKEN_OVER, DisconnectCause.TAKEN_OVER, null);
        connection.channelRead(channel.pipeline().lastContext(), publish);
        assertThat(recorder.packets).isEqualTo(1);
        assertThat(meters.get("godwit.mqtt.packets.ignored").functionCounter().count())
                .isEqualTo(1);
    }

    @Test
    void theSessionHearsOfTheEndOnce() {
        accept(0);
        connection.disconnect(ReasonCode.SESSION_TAKEN_OVER, DisconnectCause.TAKEN_OVER, null);
        connection.close("again");
        channel.runPendingTasks();
        channel.close();
        channel.runPendingTasks();
        assertThat(recorder.closed).isEqualTo("SESSION_TAKEN_OVER");
        assertThat(recorder.cause).isEqualTo(DisconnectCause.TAKEN_OVER);
        assertThat(recorder.closings).isEqualTo(1);
    }

    @Test
    void aBugInTheHandlerEndsTheConnectionOnly() {
        accept(0);
        connection.fail(new IllegalStateException("a bug, for the test"));
        channel.runPendingTasks();
        assertThat(recorder.closed).isEqualTo("UNSPECIFIED_ERROR");
        assertThat(recorder.cause).isEqualTo(DisconnectCause.INTERNAL_ERROR);
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
        connection.disconnect(ReasonCode.SESSION_TAKEN_OVER, DisconnectCause.TAKEN_OVER, null);
        connection.resumeReading(Connection.Pause.CONNECTING);
        channel.runPendingTasks();
        sweep(3);
        assertThat(recorder.closed).isEqualTo(ReasonCode.SESSION_TAKEN_OVER.name());
        assertThat(recorder.packets).isZero();
    }
}
