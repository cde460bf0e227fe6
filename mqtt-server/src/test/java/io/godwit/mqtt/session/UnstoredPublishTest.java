package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.kv.client.RangeException;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.live.TransientSession;
import io.godwit.mqtt.session.persistent.PersistentSession;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The answer to a publish that is not stored, or not yet, and the fate of its message. */
class UnstoredPublishTest {
    private final SessionStage stage = new SessionStage();

    @ParameterizedTest
    @EnumSource(
            value = DistOutcome.class,
            names = {"OVERLOADED", "FAILED"})
    void aQos2PublishThatSomeMayHaveIsNotRefusedButCutOff(DistOutcome outcome) {
        TransientSession session = stage.clean();
        stage.dist.answerNext(CompletableFuture.completedFuture(outcome));
        session.onPacket(new Publish(1, false, Qos.EXACTLY_ONCE, false, "a", new byte[1], MessageProperties.NONE));
        assertThat(stage.connection.sent).isEmpty();
        assertThat(stage.connection.isOpen()).isFalse();
        assertThat(refusals()).isEqualTo(1);
    }

    @Test
    void aQos1PublishThatFailedIsRefused() {
        TransientSession session = stage.clean();
        stage.dist.answerNext(CompletableFuture.completedFuture(DistOutcome.FAILED));
        session.onPacket(new Publish(1, false, Qos.AT_LEAST_ONCE, false, "a", new byte[1], MessageProperties.NONE));
        assertThat(stage.connection.sent).containsExactly(new PubAck(1, ReasonCode.UNSPECIFIED_ERROR));
        assertThat(stage.connection.isOpen()).isTrue();
        assertThat(refusals()).isEqualTo(1);
    }

    @Test
    void aQos2PublishWhoseRetainedCopyMayBeSetIsCutOffAndOneThatCertainlyIsNotIsRefused() {
        TransientSession session = stage.clean();
        stage.retain.answerNextSet(
                CompletableFuture.failedFuture(new RangeException(RangeException.Cause.OVERLOADED, "test")));
        session.onPacket(new Publish(1, false, Qos.EXACTLY_ONCE, true, "a", new byte[1], MessageProperties.NONE));
        stage.runTasks();
        assertThat(stage.connection.sent).containsExactly(new PubRec(1, ReasonCode.QUOTA_EXCEEDED));
        assertThat(stage.connection.isOpen()).isTrue();

        stage.retain.answerNextSet(
                CompletableFuture.failedFuture(new RangeException(RangeException.Cause.TIMEOUT, "test")));
        session.onPacket(new Publish(2, false, Qos.EXACTLY_ONCE, true, "a", new byte[1], MessageProperties.NONE));
        stage.runTasks();
        assertThat(stage.connection.sent).hasSize(1);
        assertThat(stage.connection.isOpen()).isFalse();
        assertThat(refusals()).isEqualTo(2);
    }

    @Test
    void aQos0PublishThatFailedIsLeftToThoseWhoKnowItsReceivers() {
        TransientSession session = stage.clean();
        stage.dist.answerNext(CompletableFuture.completedFuture(DistOutcome.FAILED));
        session.onPacket(new Publish(0, false, Qos.AT_MOST_ONCE, false, "a", new byte[1], MessageProperties.NONE));
        assertThat(stage.events).allMatch(BrokerEvent.PublishReceived.class::isInstance);
        assertThat(refusals()).isZero();
        assertThat(stage.events(BrokerEvent.MessageDropped.class, "godwit.mqtt.messages.dropped", "store_failed"))
                .isEmpty();
    }

    /** Such as {@code mosquitto_pub -r}: its client closes at once, and nobody would send the message again. */
    @Test
    void qos0ReachesItsSubscribersThoughItsClientHangsUpBeforeItIsRetained() {
        List<String> delivered = new ArrayList<>();
        stage.dist.subscribe(
                TenantId.DEFAULT,
                TopicFilter.parse("a").orElseThrow(),
                stage.clean(),
                new SubscriptionOptions(Qos.AT_MOST_ONCE, false, false, 0));
        stage.dist.deliverTo(
                delivery -> {
                    delivered.add(new String(delivery.message().payload(), StandardCharsets.UTF_8));
                    return Deliverer.DELIVERED;
                },
                delivery -> Deliverer.DELIVERED);
        TransientSession session = stage.clean();
        CompletableFuture<Void> retained = new CompletableFuture<>();
        stage.retain.answerNextSet(retained);
        session.onPacket(publish(0, Qos.AT_MOST_ONCE, true, "retained"));
        session.onPacket(publish(1, Qos.AT_LEAST_ONCE, true, "to be sent again"));
        session.onPacket(publish(0, Qos.AT_MOST_ONCE, false, "plain"));
        session.onPacket(publish(0, Qos.AT_MOST_ONCE, true, "last"));
        session.onClosed(DisconnectCause.CONNECTION_LOST, "test");
        stage.runTasks();
        assertThat(delivered).isEmpty();
        assertThat(stage.isEnded).isFalse();

        retained.complete(null);
        stage.runTasks();
        assertThat(delivered).containsExactly("retained", "plain", "last");
        assertThat(stage.isEnded).isTrue();
    }

    /** Else it would soon be refused, though its leader is back in a moment. */
    @Test
    void aPublisherWaitsWithItsNextMessageWhileMuchWaitsForLeaders() {
        stage.inbox.crowd(true);
        TransientSession session = stage.clean();
        session.onPacket(publish(1, Qos.AT_LEAST_ONCE, false, "for nobody that waits"));
        assertThat(stage.connection.pauses).isEmpty();
        CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();
        stage.dist.answerNext(outcome);
        session.onPacket(publish(2, Qos.AT_LEAST_ONCE, false, "waits"));
        assertThat(stage.connection.pauses).containsExactly(Connection.Pause.HELD_BACK);
        outcome.complete(DistOutcome.DELIVERED);
        stage.runTasks();
        assertThat(stage.connection.pauses).isEmpty();

        stage.inbox.crowd(false);
        stage.dist.answerNext(new CompletableFuture<>());
        session.onPacket(publish(3, Qos.AT_LEAST_ONCE, false, "usual"));
        assertThat(stage.connection.pauses).isEmpty();
    }

    /** A home that is lost need not have its next one get the message: the client has no acknowledgement. */
    @Test
    void aDeliveryThatIsUnderWayIsAbandonedWithItsConnection() {
        List<Delivery> deliveries = new ArrayList<>();
        stage.dist.deliverTo(delivery -> Deliverer.DELIVERED, delivery -> {
            deliveries.add(delivery);
            return new CompletableFuture<>();
        });
        stage.dist.addRoutes(
                Map.of(
                        TopicFilter.parse("a").orElseThrow(),
                        new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, false, 0)),
                new InboxReceiver(TenantId.DEFAULT, new ClientId("stored"), 1),
                RouteNumber.NONE);
        TransientSession session = stage.clean();
        session.onPacket(publish(1, Qos.AT_LEAST_ONCE, false, "x"));
        assertThat(deliveries).hasSize(1);
        assertThat(deliveries.get(0).resend().isAbandoned()).isFalse();
        session.onClosed(DisconnectCause.CONNECTION_LOST, "test");
        assertThat(deliveries.get(0).resend().isAbandoned()).isTrue();
    }

    /** As many as a client likes to send while one before them is being asked about. */
    @Test
    void refusedPublishesThatWaitForTheirTurnHoldTheirClientBackAndKeepNoPayload() {
        CompletableFuture<AuthDecision> answer = new CompletableFuture<>();
        SessionStage asking = new SessionStage(new MemoryAuth().onPublish(request -> answer));
        TransientSession session = asking.clean();
        session.onPacket(publish(0, Qos.AT_MOST_ONCE, false, "asked about"));
        String tooDeep = "/".repeat(1_000);
        Publish refused =
                new Publish(0, false, Qos.AT_MOST_ONCE, false, tooDeep, new byte[100_000], MessageProperties.NONE);
        for (int i = 0; i < 1_000; i++) {
            session.onPacket(refused);
        }
        assertThat(asking.connection.pauses).contains(Connection.Pause.UNACKNOWLEDGED);
        assertThat(asking.connection.storing).isBetween(1_000_000L, 2_000_000L);

        answer.complete(AuthDecision.ALLOWED);
        asking.runTasks();
        assertThat(asking.connection.storing).isZero();
        assertThat(asking.connection.pauses).isEmpty();
        assertThat(asking.count("publishes.refused")).isEqualTo(1_000);
    }

    /** Interceptors may have changed the flag before it was put on record, and do not see the repetition. */
    @Test
    void whetherARepeatedMessageIsRetainedIsForTheOneOnRecordToSay() {
        PersistentSession session = stage.persistent();
        stage.retain.answerNextSet(new CompletableFuture<>());
        session.onPacket(new Publish(8, false, Qos.EXACTLY_ONCE, true, "a", new byte[1], MessageProperties.NONE));
        session.onPacket(new Publish(9, false, Qos.EXACTLY_ONCE, true, "b", new byte[1], MessageProperties.NONE));
        stage.runTasks();
        assertThat(stage.retain.topics())
                .as("the second message waits for the first one")
                .containsExactly("a");
        stage.cut(session);
        PersistentSession next = stage.persistent();
        next.onPacket(new Publish(9, true, Qos.EXACTLY_ONCE, false, "b", new byte[1], MessageProperties.NONE));
        stage.runTasks();
        assertThat(stage.retain.topics()).containsExactly("a", "b");
    }

    @Test
    void aRepetitionDoesNotRetainWhatWasNotToBeRetained() {
        PersistentSession session = stage.persistent();
        stage.dist.answerNext(new CompletableFuture<>());
        session.onPacket(new Publish(9, false, Qos.EXACTLY_ONCE, false, "a", new byte[1], MessageProperties.NONE));
        stage.runTasks();
        stage.cut(session);
        PersistentSession next = stage.persistent();
        next.onPacket(new Publish(9, true, Qos.EXACTLY_ONCE, true, "a", new byte[1], MessageProperties.NONE));
        stage.runTasks();
        assertThat(stage.connection.sent)
                .filteredOn(PubRec.class::isInstance)
                .singleElement()
                .satisfies(answer ->
                        assertThat(((PubRec) answer).reasonCode().isError()).isFalse());
        assertThat(stage.retain.topics()).isEmpty();
    }

    /** The client sends both again in order, so that duplicates end in order [MQTT5-4.6.0-5]. */
    @Test
    void whatComesBehindAMessageThatEndsTheConnectionIsNotDistributed() {
        List<String> delivered = new ArrayList<>();
        stage.dist.subscribe(
                TenantId.DEFAULT,
                TopicFilter.parse("a").orElseThrow(),
                stage.clean(),
                new SubscriptionOptions(Qos.EXACTLY_ONCE, false, false, 0));
        stage.dist.deliverTo(
                delivery -> {
                    delivered.add(new String(delivery.message().payload(), StandardCharsets.UTF_8));
                    return Deliverer.DELIVERED;
                },
                delivery -> Deliverer.DELIVERED);
        PersistentSession session = stage.persistent();
        CompletableFuture<Void> retained = new CompletableFuture<>();
        stage.retain.answerNextSet(retained);
        session.onPacket(publish(1, Qos.EXACTLY_ONCE, true, "first"));
        session.onPacket(publish(2, Qos.EXACTLY_ONCE, false, "second"));
        session.onPacket(publish(0, Qos.AT_MOST_ONCE, false, "never sent again"));
        stage.runTasks();
        retained.completeExceptionally(new RangeException(RangeException.Cause.TIMEOUT, "test"));
        stage.runTasks();
        assertThat(stage.connection.isOpen()).isFalse();
        assertThat(delivered).containsExactly("never sent again");
        stage.cut(session);
        assertThat(delivered).containsExactly("never sent again");
        assertThat(stage.isEnded).isTrue();
    }

    /** Without an answer the client must send both again, so QoS 1 ends in order [MQTT5-4.6.0-5]. */
    @Test
    void whatIsStoredBehindAMessageThatIsNotIsNotAcknowledgedWhenTheConnectionEnds() {
        TransientSession session = stage.clean();
        CompletableFuture<DistOutcome> first = new CompletableFuture<>();
        stage.dist.answerNext(first);
        session.onPacket(publish(1, Qos.EXACTLY_ONCE, false, "first"));
        session.onPacket(publish(2, Qos.AT_LEAST_ONCE, false, "second"));
        first.complete(DistOutcome.FAILED);
        stage.runTasks();
        assertThat(stage.connection.isOpen()).isFalse();
        assertThat(stage.connection.sent).isEmpty();
    }

    private static Publish publish(int packetId, Qos qos, boolean retain, String payload) {
        return new Publish(
                packetId, false, qos, retain, "a", payload.getBytes(StandardCharsets.UTF_8), MessageProperties.NONE);
    }

    private int refusals() {
        return stage.events(BrokerEvent.PublishRefused.class, "godwit.mqtt.publishes.refused")
                .size();
    }
}
