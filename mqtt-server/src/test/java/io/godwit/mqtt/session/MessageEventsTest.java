package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.live.TransientSession;
import io.godwit.mqtt.session.persistent.PersistentSession;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.BrokerEvent.MessageAcknowledged;
import io.godwit.plugin.event.BrokerEvent.PublishAccepted;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What becomes of messages raises events: their acceptance, and the acknowledgements of their receivers. */
class MessageEventsTest {
    private final SessionStage stage = new SessionStage();

    private static Publish publish(int packetId, Qos qos, boolean isRepeated) {
        return new Publish(packetId, isRepeated, qos, false, "a", new byte[1], MessageProperties.NONE);
    }

    private void publish(Session session, int packetId, Qos qos, DistOutcome outcome) {
        stage.dist.answerNext(CompletableFuture.completedFuture(outcome));
        session.onPacket(publish(packetId, qos, false));
        stage.runTasks();
    }

    private List<BrokerEvent> accepted() {
        return stage.events(PublishAccepted.class, "godwit.mqtt.publishes.accepted");
    }

    private static PublishAccepted accepted(Qos qos, boolean hasReceivers) {
        return new PublishAccepted(SessionStage.info("c"), "a", qos, hasReceivers);
    }

    @Test
    void anAcceptedPublishIsReportedWithWhetherItHasReceivers() {
        TransientSession session = stage.clean();
        publish(session, 0, Qos.AT_MOST_ONCE, DistOutcome.DELIVERED);
        publish(session, 0, Qos.AT_MOST_ONCE, DistOutcome.NO_MATCH);
        publish(session, 1, Qos.AT_LEAST_ONCE, DistOutcome.DELIVERED);
        publish(session, 2, Qos.EXACTLY_ONCE, DistOutcome.NO_MATCH);

        assertThat(accepted())
                .containsExactly(
                        accepted(Qos.AT_MOST_ONCE, true),
                        accepted(Qos.AT_MOST_ONCE, false),
                        accepted(Qos.AT_LEAST_ONCE, true),
                        accepted(Qos.EXACTLY_ONCE, false));
    }

    @Test
    void aPublishThatIsNotAcceptedIsNotReportedSo() {
        TransientSession session = stage.clean();
        publish(session, 0, Qos.AT_MOST_ONCE, DistOutcome.FAILED);
        publish(session, 1, Qos.AT_LEAST_ONCE, DistOutcome.OVERLOADED);

        assertThat(accepted()).isEmpty();
        assertThat(stage.events(BrokerEvent.PublishRefused.class, "godwit.mqtt.publishes.refused"))
                .hasSize(1);
    }

    @Test
    void aQos2PublishThatComesAgainIsReportedOnce() {
        PersistentSession session = stage.persistent();
        publish(session, 1, Qos.EXACTLY_ONCE, DistOutcome.DELIVERED);
        session.onPacket(publish(1, Qos.EXACTLY_ONCE, true));
        stage.runTasks();
        session.onClosed(DisconnectCause.CONNECTION_LOST, "test");
        stage.runTasks();
        PersistentSession next = stage.persistent();
        next.onPacket(publish(1, Qos.EXACTLY_ONCE, true));
        stage.runTasks();

        assertThat(stage.connection.sent).contains(new PubRec(1));
        assertThat(accepted()).containsExactly(accepted(Qos.EXACTLY_ONCE, true));
    }

    @Test
    void eachAcknowledgementOfAReceiverIsReported() {
        TransientSession session = stage.clean();
        stage.dist.subscribe(
                TenantId.DEFAULT,
                TopicFilter.parse("a").orElseThrow(),
                session,
                new SubscriptionOptions(Qos.EXACTLY_ONCE, false, false, 0));
        session.onPacket(publish(0, Qos.AT_MOST_ONCE, false));
        session.onPacket(publish(11, Qos.AT_LEAST_ONCE, false));
        session.onPacket(publish(12, Qos.AT_LEAST_ONCE, false));
        session.onPacket(publish(13, Qos.EXACTLY_ONCE, false));
        stage.runTasks();
        List<Integer> ids = stage.connection.publishIds();
        assertThat(ids).hasSize(4);
        session.onPacket(new PubAck(ids.get(1)));
        session.onPacket(new PubAck(ids.get(2), ReasonCode.UNSPECIFIED_ERROR));
        session.onPacket(new PubRec(ids.get(3)));
        stage.runTasks();
        assertThat(acknowledged()).hasSize(2);
        session.onPacket(new PubComp(ids.get(3)));
        session.onPacket(new PubComp(ids.get(3))); // a second one answers nothing
        stage.runTasks();

        assertThat(acknowledged())
                .containsExactly(
                        new MessageAcknowledged(SessionStage.info("c"), ids.get(1), false),
                        new MessageAcknowledged(SessionStage.info("c"), ids.get(2), true),
                        new MessageAcknowledged(SessionStage.info("c"), ids.get(3), false));
    }

    private List<BrokerEvent> acknowledged() {
        return stage.events.stream()
                .filter(MessageAcknowledged.class::isInstance)
                .toList();
    }
}
