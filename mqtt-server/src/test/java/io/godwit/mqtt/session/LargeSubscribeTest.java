package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A SUBSCRIBE or UNSUBSCRIBE with thousands of filters does not keep its loop from other connections. */
class LargeSubscribeTest {
    private static final int FILTERS = 10_000;
    /** More than in a turn, and not a multiple of it. */
    private static final long MOST_AT_ONCE = 50;

    private final SessionStage stage = new SessionStage();

    private static List<TopicFilter> filters() {
        return IntStream.range(0, FILTERS)
                .mapToObj(number -> new TopicFilter(null, "f/" + number))
                .toList();
    }

    private static Subscribe subscribe(int packetId, List<TopicFilter> filters) {
        return new Subscribe(
                packetId,
                filters.stream()
                        .map(filter -> new Subscription(filter, Qos.AT_LEAST_ONCE))
                        .toList());
    }

    /** Runs the loop to the end; returns by how much {@code size} changed in the task that changed it most. */
    private long mostInATask(long before, LongSupplier size) {
        long most = Math.abs(size.getAsLong() - before);
        boolean ran = true;
        while (ran) {
            long earlier = size.getAsLong();
            ran = stage.runTask();
            most = Math.max(most, Math.abs(size.getAsLong() - earlier));
        }
        return most;
    }

    private List<Packet> answers() {
        return stage.connection.sent.stream()
                .filter(packet -> packet instanceof SubAck || packet instanceof UnsubAck)
                .toList();
    }

    private void subscribesAndUnsubscribesInTurns(Session session) {
        session.onPacket(subscribe(1, filters()));
        assertThat(mostInATask(0, stage.dist::size)).isBetween(1L, MOST_AT_ONCE);
        assertThat(stage.dist.size()).isEqualTo(FILTERS);
        assertThat(answers()).singleElement().isInstanceOfSatisfying(SubAck.class, ack -> {
            assertThat(ack.packetId()).isEqualTo(1);
            assertThat(ack.reasonCodes()).hasSize(FILTERS).containsOnly(ReasonCode.GRANTED_QOS_1);
        });

        session.onPacket(new Unsubscribe(2, filters()));
        assertThat(mostInATask(FILTERS, stage.dist::size)).isBetween(1L, MOST_AT_ONCE);
        assertThat(stage.dist.size()).isZero();
        assertThat(answers()).hasSize(2).last().isInstanceOfSatisfying(UnsubAck.class, ack -> {
            assertThat(ack.packetId()).isEqualTo(2);
            assertThat(ack.reasonCodes()).hasSize(FILTERS).containsOnly(ReasonCode.SUCCESS);
        });
    }

    @Test
    void aLiveSessionIsServedInTurns() {
        subscribesAndUnsubscribesInTurns(stage.clean());
    }

    @Test
    void aStoredSessionIsServedInTurns() {
        subscribesAndUnsubscribesInTurns(stage.persistent());
    }

    @Test
    void laterRequestsWaitBehindAllTurns() {
        Session session = stage.clean();
        TopicFilter last = filters().get(FILTERS - 1);
        session.onPacket(subscribe(1, filters()));
        session.onPacket(new Unsubscribe(2, List.of(last)));
        session.onPacket(subscribe(3, List.of(last)));
        session.onPacket(new Unsubscribe(4, List.of(last)));
        stage.runTasks();
        assertThat(answers().stream()
                        .map(answer -> answer instanceof SubAck ack ? ack.packetId() : ((UnsubAck) answer).packetId())
                        .toList())
                .containsExactly(1, 2, 3, 4);
        assertThat(stage.dist.size()).isEqualTo(FILTERS - 1);
    }

    @Test
    void readingWaitsForTheAnswer() {
        Session session = stage.clean();
        session.onPacket(subscribe(1, filters()));
        assertThat(stage.connection.pauses).containsExactly(Connection.Pause.SUBSCRIBING);
        stage.runTasks();
        assertThat(stage.connection.pauses).isEmpty();
        session.onPacket(subscribe(2, filters().subList(0, 100)));
        assertThat(stage.connection.allPauses).hasSize(1);
    }

    @Test
    void retainedMessagesOfAllTurnsComeBehindTheAnswer() {
        List<TopicFilter> filters = filters();
        for (int number : List.of(0, 5_000, FILTERS - 1)) {
            stage.retain.set(
                    TenantId.DEFAULT,
                    new Message(
                            filters.get(number).filter(),
                            new byte[1],
                            Qos.AT_LEAST_ONCE,
                            true,
                            0,
                            MessageProperties.NONE));
        }
        Session session = stage.clean();
        session.onPacket(subscribe(1, filters));
        stage.runTasks();
        List<Packet> sent = new ArrayList<>(stage.connection.sent);
        assertThat(sent.get(0)).isInstanceOf(SubAck.class);
        assertThat(sent.subList(1, sent.size()))
                .hasOnlyElementsOfType(Publish.class)
                .extracting(packet -> ((Publish) packet).topic())
                .containsExactly("f/0", "f/5000", "f/" + (FILTERS - 1));
    }

    @Test
    void aConnectionThatEndsMeanwhileLeavesNothing() {
        Session session = stage.clean();
        session.onPacket(subscribe(1, filters()));
        stage.runTask();
        assertThat(stage.dist.size()).isBetween(1L, FILTERS / 2L);
        stage.connection.close("cable cut");
        stage.cut(session);
        assertThat(stage.dist.size()).isZero();
        assertThat(answers()).isEmpty();
        assertThat(stage.isEnded).isTrue();
    }
}
