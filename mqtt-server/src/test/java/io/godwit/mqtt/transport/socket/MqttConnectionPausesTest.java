package io.godwit.mqtt.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.PingResp;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.quota.TenantAccounts;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.loop.FilterRoom;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.ThrottleCause;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.throttle.TenantResource;
import io.netty.buffer.Unpooled;
import io.netty.channel.WriteBufferWaterMark;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a connection is not read or sent to for a while: unread answers, limits of rates, and a lack of room. */
class MqttConnectionPausesTest extends MqttConnectionFixture {
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
}
