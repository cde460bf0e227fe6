package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.mqtt.packet.Packet;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubComp;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.PubRel;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.quota.Holdings;
import io.godwit.mqtt.session.live.TransientSession;
import io.godwit.mqtt.session.persistent.PersistentSession;
import io.godwit.mqtt.twin.MemoryAuth;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A QoS 2 exchange that has begun is finished, whatever the limits are by now: the first PUBLISH may be stored. A new
 * PUBLISH is refused.
 */
class RepeatedPublishTest {
    private static final String TOPIC = "a/b";

    private SessionStage stage = new SessionStage();

    private static Publish publish(int packetId, boolean dup, boolean retain, String topic) {
        return new Publish(packetId, dup, Qos.EXACTLY_ONCE, retain, topic, new byte[20], MessageProperties.NONE);
    }

    private void send(Session session, Packet packet) {
        session.onPacket(packet);
        stage.runTasks();
    }

    private void limit(TenantSetting setting, long value) {
        stage.tenants()
                .say(
                        TenantId.DEFAULT,
                        TenantSettings.builder().set(setting, value).build());
    }

    /** The client has no answer to its PUBLISH, which is stored, when its connection ends. */
    private void leave(int packetId, String topic) {
        PersistentSession session = stage.persistent();
        stage.dist.answerNext(new CompletableFuture<>());
        send(session, publish(packetId, false, false, topic));
        assertThat(stage.connection.sent).isEmpty();
        stage.cut(session);
    }

    @ParameterizedTest
    @CsvSource({
        "MAX_PAYLOAD_BYTES, 1, QUOTA_EXCEEDED, false",
        "MAX_TOPIC_LEVELS, 1, TOPIC_NAME_INVALID, false",
        "MAX_QOS, 1, QOS_NOT_SUPPORTED, true"
    })
    void aRepetitionOnTheNextConnectionIsTakenAndANewPublishIsRefused(
            TenantSetting setting, long most, ReasonCode refusal, boolean ends) {
        leave(9, TOPIC);
        limit(setting, most);
        PersistentSession next = stage.persistent();
        send(next, publish(9, true, false, TOPIC));
        PubRec taken = new PubRec(9, ReasonCode.NO_MATCHING_SUBSCRIBERS);
        assertThat(stage.connection.sent).containsExactly(taken);
        assertThat(stage.connection.isOpen()).isTrue();
        assertThat(stage.count("publishes.refused")).isZero();

        send(next, publish(10, false, false, TOPIC));
        assertThat(stage.count("publishes.refused")).isOne();
        if (ends) {
            assertThat(stage.connection.sent).containsExactly(taken);
            assertThat(stage.connection.closeReason).isEqualTo(refusal.name());
        } else {
            assertThat(stage.connection.sent).containsExactly(taken, new PubRec(10, refusal));
            assertThat(stage.connection.isOpen()).isTrue();
        }
    }

    /** A PUBLISH with the DUP flag whose first one nobody has got is a new one. */
    @Test
    void theDupFlagAloneExemptsFromNothing() {
        limit(TenantSetting.MAX_PAYLOAD_BYTES, 1);
        PersistentSession session = stage.persistent();
        send(session, publish(9, true, false, TOPIC));
        assertThat(stage.connection.sent).containsExactly(new PubRec(9, ReasonCode.QUOTA_EXCEEDED));
    }

    @Test
    void aRepetitionOnItsOwnConnectionIsAnsweredThoughItsQosIsNotAllowedAnyMore() {
        TransientSession session = stage.clean();
        send(session, publish(8, false, false, TOPIC));
        CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();
        stage.dist.answerNext(outcome);
        send(session, publish(9, false, false, TOPIC));
        limit(TenantSetting.MAX_QOS, 1);
        session.retune();

        send(session, publish(8, true, false, TOPIC));
        send(session, publish(9, true, false, TOPIC));
        PubRec first = new PubRec(8, ReasonCode.NO_MATCHING_SUBSCRIBERS);
        assertThat(stage.connection.closeReason).isNull();
        assertThat(stage.connection.sent).containsExactly(first, new PubRec(8));
        outcome.complete(DistOutcome.DELIVERED);
        stage.runTasks();
        assertThat(stage.connection.sent).containsExactly(first, new PubRec(8), new PubRec(9));

        send(session, publish(10, false, false, TOPIC));
        assertThat(stage.connection.closeReason).isEqualTo(ReasonCode.QOS_NOT_SUPPORTED.name());
    }

    @Test
    void aRepetitionDoesNotCountForTheQuotaOfRetainedMessagesAndANewPublishDoes() {
        stage.tenants().accounts().holdings(new Holdings() {
            @Override
            public long retainedMessages(TenantId tenant) {
                return 1;
            }
        });
        PersistentSession session = stage.persistent();
        stage.retain.answerNextSet(new CompletableFuture<>());
        send(session, publish(9, false, true, "a"));
        assertThat(stage.retain.topics()).containsExactly("a");
        stage.cut(session);

        limit(TenantSetting.MAX_RETAINED_MESSAGES, 1);
        PersistentSession next = stage.persistent();
        send(next, publish(9, true, true, "a"));
        send(next, publish(10, false, true, "b"));
        PubRec taken = new PubRec(9, ReasonCode.NO_MATCHING_SUBSCRIBERS);
        PubRec refused = new PubRec(10, ReasonCode.QUOTA_EXCEEDED);
        assertThat(stage.connection.sent).containsExactly(taken, refused);

        limit(TenantSetting.MAX_RETAINED_MESSAGES, 2);
        CompletableFuture<Void> stored = new CompletableFuture<>();
        stage.retain.answerNextSet(stored);
        send(next, publish(11, false, true, "b"));
        send(next, publish(12, false, true, "c"));
        stored.complete(null);
        stage.runTasks();
        assertThat(stage.connection.sent)
                .as("the repetition has given back nothing that it had not taken")
                .containsExactly(
                        taken,
                        refused,
                        new PubRec(11, ReasonCode.NO_MATCHING_SUBSCRIBERS),
                        new PubRec(12, ReasonCode.QUOTA_EXCEEDED));
        assertThat(stage.retain.topics()).containsExactly("a", "b");
    }

    @Test
    void aRepetitionIsNotAskedAboutAgainAndANewPublishIs() {
        AtomicBoolean isForbidden = new AtomicBoolean();
        MemoryAuth auth = new MemoryAuth()
                .onPublish(request -> CompletableFuture.completedFuture(
                        isForbidden.get() ? new AuthDecision.Denied("by now") : AuthDecision.ALLOWED));
        stage = new SessionStage(auth);
        leave(9, "a");
        isForbidden.set(true);
        auth.version = 1;
        PersistentSession next = stage.persistent();
        send(next, publish(9, true, false, "a"));
        assertThat(auth.topics).containsExactly("a");
        send(next, publish(10, false, false, "b"));
        assertThat(auth.topics).containsExactly("a", "b");
        assertThat(stage.connection.sent)
                .containsExactly(
                        new PubRec(9, ReasonCode.NO_MATCHING_SUBSCRIBERS), new PubRec(10, ReasonCode.NOT_AUTHORIZED));
    }

    /** It was repeated when it came; once the exchange has ended, it would be a message that nobody has authorized. */
    @Test
    void aRepetitionThatWaitsForItsTurnIsDroppedWhenItsExchangeEndsMeanwhile() {
        CompletableFuture<AuthDecision> decision = new CompletableFuture<>();
        stage = new SessionStage(new MemoryAuth()
                .onPublish(request -> request.topic().equals("slow")
                        ? decision
                        : CompletableFuture.completedFuture(AuthDecision.ALLOWED)));
        List<String> delivered = new ArrayList<>();
        stage.dist.subscribe(
                TenantId.DEFAULT,
                TopicFilter.parse("#").orElseThrow(),
                stage.clean(),
                new SubscriptionOptions(Qos.EXACTLY_ONCE, false, false, 0));
        stage.dist.deliverTo(
                delivery -> {
                    delivered.add(delivery.message().topic());
                    return Deliverer.DELIVERED;
                },
                delivery -> Deliverer.DELIVERED);
        TransientSession session = stage.clean();
        send(session, publish(9, false, false, TOPIC));
        send(session, new Publish(1, false, Qos.AT_LEAST_ONCE, false, "slow", new byte[1], MessageProperties.NONE));
        send(session, publish(9, true, false, TOPIC));
        send(session, new PubRel(9, ReasonCode.SUCCESS));
        assertThat(stage.connection.sent).containsExactly(new PubRec(9), new PubComp(9));

        decision.complete(AuthDecision.ALLOWED);
        stage.runTasks();
        assertThat(delivered).containsExactly(TOPIC, "slow");
        assertThat(stage.connection.sent)
                .containsExactly(new PubRec(9), new PubComp(9), new PubAck(1, ReasonCode.SUCCESS));
        assertThat(stage.connection.storing).isZero();
    }
}
