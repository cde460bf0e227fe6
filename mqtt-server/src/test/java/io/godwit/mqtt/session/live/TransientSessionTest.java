package io.godwit.mqtt.session.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.core.SessionConfig;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionStores;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.twin.MemoryInbox;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The queue, the window and the publishes of a live session, on the test's thread with recorded packets. */
class TransientSessionTest extends TransientSessionFixture {
    @Test
    void qos0IsDroppedForASlowConsumerAndQos1Waits() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        connection.isWritable = false;
        deliver(session, "lost", Qos.AT_MOST_ONCE);
        deliver(session, "kept", Qos.AT_LEAST_ONCE);
        assertThat(connection.sent).isEmpty();
        assertThat(drops()).containsExactly(DropReason.SLOW_CONSUMER);

        connection.isWritable = true;
        session.onWritable();
        assertThat(connection.publishIds()).containsExactly(1);
    }

    @Test
    void aFullQueueDropsTheNewest() {
        TransientSession session = session(4, 1, config(1000, 2, false, 1 << 20));
        for (int i = 0; i < 5; i++) {
            deliver(session, "m" + i, Qos.AT_LEAST_ONCE);
        }
        assertThat(drops()).containsExactly(DropReason.QUEUE_FULL_NEWEST, DropReason.QUEUE_FULL_NEWEST);
        acknowledgeAll(session);
        assertThat(payloads()).containsExactly("m0", "m1", "m2");
    }

    @Test
    void aFullQueueDropsTheOldestWhenToldTo() {
        TransientSession session = session(4, 1, config(1000, 2, true, 1 << 20));
        for (int i = 0; i < 5; i++) {
            deliver(session, "m" + i, Qos.AT_LEAST_ONCE);
        }
        assertThat(drops()).containsExactly(DropReason.QUEUE_FULL_OLDEST, DropReason.QUEUE_FULL_OLDEST);
        acknowledgeAll(session);
        assertThat(payloads()).containsExactly("m0", "m3", "m4");
    }

    /** An empty queue takes a message of any size. */
    @Test
    void theTenantSaysHowManyBytesMayWait() {
        settings =
                TenantSettings.builder().set(TenantSetting.MAX_QUEUED_BYTES, 1).build();
        TransientSession session = session(4, 1, config(1000, 10, false, 1 << 20));
        for (int i = 0; i < 4; i++) {
            deliver(session, "m" + i, Qos.AT_LEAST_ONCE);
        }
        assertThat(drops()).containsExactly(DropReason.QUEUE_FULL_NEWEST, DropReason.QUEUE_FULL_NEWEST);
        acknowledgeAll(session);
        assertThat(payloads()).containsExactly("m0", "m1");
    }

    @Test
    void atTheLimitASharedMessageGoesToAnotherMember() {
        dist.answerHandOn(DistOutcome.DELIVERED);
        TransientSession session = session(5, 1, config(1000, 1, false, 1 << 20));
        for (int i = 0; i < 4; i++) {
            deliverShared(session, "$share/g/a", "m" + i, Qos.AT_LEAST_ONCE);
        }
        assertThat(handedOn()).containsExactly("m2", "m3");
        assertThat(drops()).isEmpty();
        acknowledgeAll(session);
        assertThat(payloads()).containsExactly("m0", "m1");
    }

    private void deliverShared(TransientSession session, String filter, String payload, Qos qos) {
        Match match = new Match(
                session, qos, false, Match.NO_IDS, TopicFilter.parse(filter).orElseThrow());
        deliver(session, message(payload, qos, -1), match);
    }

    private List<String> handedOn() {
        runTasks();
        return dist.handedOn().stream()
                .map(delivery -> new String(delivery.message().payload(), StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void aFullMemberDropsWhatNobodyElseTakes() {
        TransientSession session = session(5, 1, config(1000, 1, true, 1 << 20));
        for (int i = 0; i < 3; i++) {
            deliverShared(session, "$queue/a", "m" + i, Qos.EXACTLY_ONCE);
        }
        assertThat(handedOn()).containsExactly("m2");
        assertThat(drops()).containsExactly(DropReason.QUEUE_FULL_OLDEST);
        connection.isWritable = false;
        deliverShared(session, "$queue/a", "q0", Qos.AT_MOST_ONCE);
        assertThat(handedOn()).containsExactly("m2", "q0");
        assertThat(drops()).containsExactly(DropReason.QUEUE_FULL_OLDEST, DropReason.SLOW_CONSUMER);
    }

    @Test
    void anOrderedMemberKeepsItsMessagesAlsoWhenItIsFull() {
        dist.answerHandOn(DistOutcome.DELIVERED);
        TransientSession session = session(5, 1, config(1000, 1, false, 1 << 20));
        for (int i = 0; i < 3; i++) {
            deliverShared(session, "$oshare/g/a", "m" + i, Qos.AT_LEAST_ONCE);
        }
        assertThat(handedOn()).isEmpty();
        assertThat(drops()).containsExactly(DropReason.QUEUE_FULL_NEWEST);
    }

    /**
     * [MQTT5-4.8.2-5], [MQTT5-4.8.2-6]: except messages under way at QoS 2 and those that its client refused; all
     * others in order.
     */
    @Test
    @Clause({"MQTT5-4.8.2-5", "MQTT5-4.8.2-6"})
    void whatAMemberLeavesUnacknowledgedGoesToAnother() {
        dist.answerHandOn(DistOutcome.DELIVERED);
        TransientSession session = session(5, 4, SessionConfig.DEFAULTS);
        deliverShared(session, "$share/g/a", "acknowledged", Qos.AT_LEAST_ONCE);
        deliverShared(session, "$share/g/a", "refused", Qos.AT_LEAST_ONCE);
        session.onPacket(new PubAck(1));
        session.onPacket(new PubAck(2, ReasonCode.UNSPECIFIED_ERROR));
        deliver(session, "its own", Qos.AT_LEAST_ONCE);
        deliverShared(session, "$share/g/a", "one", Qos.AT_LEAST_ONCE);
        deliverShared(session, "$share/g/a", "begun", Qos.EXACTLY_ONCE);
        deliverShared(session, "$oshare/g/a", "two", Qos.AT_LEAST_ONCE);
        deliverShared(session, "$share/g/a", "three", Qos.EXACTLY_ONCE);
        deliver(session, "its own too", Qos.AT_LEAST_ONCE);
        session.onClosed(DisconnectCause.CONNECTION_LOST, "test");
        deliverShared(session, "$share/g/a", "late", Qos.AT_MOST_ONCE);

        assertThat(handedOn()).containsExactly("one", "two", "three", "late");
        assertThat(drops()).containsExactly(DropReason.SESSION_ENDED);
    }

    /** One clock call for each read: later publishes have their own time. */
    @Test
    void publishesOfOneReadHaveItsTime() {
        List<Long> times = new ArrayList<>();
        SessionServices services = new SessionServices(
                SessionConfig.DEFAULTS,
                new SessionStores(dist, new MemoryInbox(), retain),
                authorizer,
                reports,
                () -> ++nowMillis,
                3);
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "test:1", 4);
        TransientSession session =
                new TransientSession(connection, services, new SessionTerms(client, 10, 0, 0, null), null, () -> {});
        TopicFilter filter = TopicFilter.parse("a").orElseThrow();
        dist.subscribe(TenantId.DEFAULT, filter, session, new SubscriptionOptions(Qos.AT_MOST_ONCE, false, false, 0));
        Deliverer live = delivery -> {
            times.add(delivery.message().receivedAtMillis());
            return Deliverer.DELIVERED;
        };
        dist.deliverTo(live, live);
        for (int read = 0; read < 2; read++) {
            for (int i = 0; i < 3; i++) {
                session.onPacket(
                        new Publish(0, false, Qos.AT_MOST_ONCE, false, "a", new byte[1], MessageProperties.NONE));
            }
            session.onReadComplete();
        }
        assertThat(times).containsExactly(1_000_001L, 1_000_001L, 1_000_001L, 1_000_002L, 1_000_002L, 1_000_002L);
    }

    @Test
    @Clause({"MQTT5-3.3.2-5", "MQTT5-3.3.2-6"})
    void whatExpiresInTheQueueIsNotSent() {
        TransientSession session = session(5, 1, SessionConfig.DEFAULTS);
        deliver(session, "first", Qos.AT_LEAST_ONCE);
        deliver(session, message("stale", Qos.AT_LEAST_ONCE, 10), match(session, Qos.AT_LEAST_ONCE));
        deliver(session, message("fresh", Qos.AT_LEAST_ONCE, 60), match(session, Qos.AT_LEAST_ONCE));
        nowMillis += 15_000;
        acknowledgeAll(session);
        assertThat(payloads()).containsExactly("first", "fresh");
        assertThat(drops()).containsExactly(DropReason.EXPIRED);
        Publish fresh = (Publish) connection.sent.get(connection.sent.size() - 1);
        assertThat(fresh.properties().messageExpirySeconds()).isEqualTo(45);
    }

    @Test
    void anOutboundQos2HandshakeHoldsItsPlaceInTheWindow() {
        TransientSession session = session(5, 1, SessionConfig.DEFAULTS);
        deliver(session, "two", Qos.EXACTLY_ONCE);
        deliver(session, "next", Qos.EXACTLY_ONCE);
        session.onPacket(new PubRec(1));
        session.onReadComplete();
        assertThat(connection.sent.get(1)).isEqualTo(new PubRel(1, ReasonCode.SUCCESS));
        assertThat(payloads()).containsExactly("two");
        session.onPacket(new PubComp(1, ReasonCode.SUCCESS));
        session.onReadComplete();
        assertThat(payloads()).containsExactly("two", "next");

        session.onPacket(new PubRec(77));
        assertThat(connection.sent.get(connection.sent.size() - 1))
                .isEqualTo(new PubRel(77, ReasonCode.PACKET_IDENTIFIER_NOT_FOUND));
    }

    @Test
    void readingPausesWhileTooMuchIsUnstored() {
        TransientSession session = session(4, 10, config(4, 10, false, 1 << 20));
        List<CompletableFuture<DistOutcome>> outcomes = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();
            outcomes.add(outcome);
            dist.answerNext(outcome);
            session.onPacket(
                    new Publish(i, false, Qos.AT_LEAST_ONCE, false, "a", new byte[10], MessageProperties.NONE));
        }
        assertThat(connection.pauses).containsExactly(Connection.Pause.UNACKNOWLEDGED);
        outcomes.get(3).complete(DistOutcome.DELIVERED);
        outcomes.get(2).complete(DistOutcome.DELIVERED);
        runTasks();
        assertThat(connection.pauses).isEmpty();
        assertThat(connection.sent).isEmpty();
        outcomes.get(0).complete(DistOutcome.DELIVERED);
        outcomes.get(1).complete(DistOutcome.NO_MATCH);
        runTasks();
        assertThat(connection.sent).containsExactly(new PubAck(1), new PubAck(2), new PubAck(3), new PubAck(4));
    }

    @Test
    void theNodesBudgetPausesReading() {
        SessionConfig config = config(100, 10, false, 1 << 20).with(new SessionConfig.Intake(1 << 20, 3000));
        TransientSession session = session(4, 10, config);
        CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();
        dist.answerNext(outcome);
        session.onPacket(new Publish(1, false, Qos.AT_LEAST_ONCE, false, "a", new byte[2000], MessageProperties.NONE));
        assertThat(connection.pauses).containsExactly(Connection.Pause.NODE_BUDGET);
        assertThat(connection.storing).isGreaterThan(2000);
        outcome.complete(DistOutcome.DELIVERED);
        runTasks();
        assertThat(connection.pauses).isEmpty();
        assertThat(connection.storing).isZero();
    }

    @Test
    void theSessionEndsWhenItsLastPublishIsStored() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();
        dist.answerNext(outcome);
        session.onPacket(new Publish(1, false, Qos.AT_LEAST_ONCE, false, "a", new byte[1], MessageProperties.NONE));
        session.onClosed(DisconnectCause.CONNECTION_LOST, "test");
        runTasks();
        assertThat(isEnded).isFalse();
        outcome.complete(DistOutcome.DELIVERED);
        runTasks();
        assertThat(isEnded).isTrue();
    }

    @Test
    void aDeliveryToAnEndedSessionIsReported() {
        TransientSession session = session(4, 10, SessionConfig.DEFAULTS);
        session.onClosed(DisconnectCause.CONNECTION_LOST, "test");
        deliver(session, "x", Qos.AT_LEAST_ONCE);
        assertThat(drops()).containsExactly(DropReason.SESSION_ENDED);
    }
}
