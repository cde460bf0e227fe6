package io.godwit.mqtt.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.Disconnect;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.limit.HalfPacket;
import io.godwit.mqtt.transport.limit.HalfReceived;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.ThrottleCause;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Connections that have received a part of a packet, and share the room for such packets. */
class MqttConnectionHalfPacketTest extends MqttConnectionFixture {
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
        assertThat(recorder.cause).isEqualTo(DisconnectCause.PACKET_ABANDONED);
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
}
