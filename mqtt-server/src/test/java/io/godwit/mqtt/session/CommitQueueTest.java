package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.mqtt.packet.PubAck;
import io.godwit.mqtt.packet.PubRec;
import io.godwit.mqtt.packet.Publish;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.session.live.TransientSession;
import io.godwit.mqtt.session.persistent.PersistentSession;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Publishes whose stores refuse them, or may have them: which are refused, and which end their connection. */
class CommitQueueTest {
    private final SessionStage stage = new SessionStage();
    private final List<String> delivered = new ArrayList<>();

    @BeforeEach
    void subscribe() {
        stage.dist.subscribe(
                TenantId.DEFAULT,
                TopicFilter.parse("#").orElseThrow(),
                stage.clean(),
                new SubscriptionOptions(Qos.EXACTLY_ONCE, false, false, 0));
        stage.dist.deliverTo(
                delivery -> {
                    delivered.add(new String(delivery.message().payload(), StandardCharsets.UTF_8));
                    return Deliverer.DELIVERED;
                },
                delivery -> Deliverer.DELIVERED);
    }

    private void publish(Session session, int packetId, boolean retain, String topic, String payload) {
        session.onPacket(new Publish(
                packetId,
                false,
                Qos.EXACTLY_ONCE,
                retain,
                topic,
                payload.getBytes(StandardCharsets.UTF_8),
                MessageProperties.NONE));
        stage.runTasks();
    }

    private void publish(Session session, int packetId, String payload) {
        publish(session, packetId, false, "a", payload);
    }

    private static RangeException failure(Cause cause) {
        return new RangeException(cause, "asked for by the test");
    }

    private void overloadsNextSet() {
        stage.retain.answerNextSet(CompletableFuture.failedFuture(failure(Cause.OVERLOADED)));
    }

    private void nothingIsLeft() {
        assertThat(stage.connection.storing).isZero();
        assertThat(stage.connection.pauses).isEmpty();
    }

    /** Nothing was written: the client may use the packet id for another message. */
    @ParameterizedTest
    @EnumSource(
            value = Cause.class,
            names = {"OVERLOADED", "DISK_FULL"})
    void aNewMessageForWhichTheStoreHasNoRoomIsRefused(Cause cause) {
        PersistentSession session = stage.persistent();
        stage.inbox.failNext(failure(cause));
        publish(session, 11, "x");
        assertThat(stage.connection.sent).containsExactly(new PubRec(11, ReasonCode.QUOTA_EXCEEDED));
        assertThat(stage.connection.isOpen()).isTrue();
        assertThat(delivered).isEmpty();
        nothingIsLeft();

        publish(session, 11, "another");
        assertThat(stage.connection.sent).last().isEqualTo(new PubRec(11));
        assertThat(delivered).containsExactly("another");
    }

    /** The store has the first one under its packet id, which an error would free. */
    @ParameterizedTest
    @EnumSource(
            value = Cause.class,
            names = {"OVERLOADED", "DISK_FULL"})
    void aRepeatedMessageForWhichTheStoreHasNoRoomEndsTheConnection(Cause cause) {
        PersistentSession session = stage.persistent();
        stage.dist.answerNext(new CompletableFuture<>());
        publish(session, 11, "first");
        stage.cut(session);

        PersistentSession next = stage.persistent();
        stage.inbox.failNext(failure(cause));
        publish(next, 11, "repeated");
        assertThat(stage.connection.sent).isEmpty();
        assertThat(stage.connection.closeReason).isEqualTo(ReasonCode.QUOTA_EXCEEDED.name());
        nothingIsLeft();
        stage.cut(next);

        PersistentSession third = stage.persistent();
        publish(third, 11, "repeated again");
        assertThat(stage.connection.sent).containsExactly(new PubRec(11));
        assertThat(delivered).as("the message on record").containsExactly("first");
    }

    @ParameterizedTest
    @EnumSource(
            value = Cause.class,
            names = {"TIMEOUT", "CLOSED"})
    void aNewMessageThatTheStoreMayHaveEndsTheConnection(Cause cause) {
        PersistentSession session = stage.persistent();
        stage.inbox.failNext(failure(cause));
        publish(session, 11, "x");
        assertThat(stage.connection.sent).isEmpty();
        assertThat(stage.connection.closeReason).isEqualTo(ReasonCode.UNSPECIFIED_ERROR.name());
        assertThat(stage.connection.closeCause).isEqualTo(DisconnectCause.STORE_FAILED);
        nothingIsLeft();
    }

    @Test
    void aRefusedMessageDoesNotHoldUpTheNext() {
        PersistentSession session = stage.persistent();
        stage.inbox.failNext(failure(Cause.OVERLOADED));
        publish(session, 11, "x");
        publish(session, 12, "y");
        assertThat(stage.connection.sent).containsExactly(new PubRec(11, ReasonCode.QUOTA_EXCEEDED), new PubRec(12));
        assertThat(delivered).containsExactly("y");
        nothingIsLeft();
    }

    /** The connection stays open, so its client would not send it again. */
    @Test
    void whatWaitsBehindAMessageThatCannotBeRetainedIsDistributed() {
        TransientSession session = stage.clean();
        CompletableFuture<Void> retained = new CompletableFuture<>();
        stage.retain.answerNextSet(retained);
        publish(session, 11, true, "a", "retained");
        session.onPacket(
                new Publish(12, false, Qos.AT_LEAST_ONCE, false, "a", new byte[] {'y'}, MessageProperties.NONE));
        stage.runTasks();
        assertThat(delivered).isEmpty();

        retained.completeExceptionally(failure(Cause.OVERLOADED));
        stage.runTasks();
        assertThat(stage.connection.sent)
                .containsExactly(new PubRec(11, ReasonCode.QUOTA_EXCEEDED), new PubAck(12, ReasonCode.SUCCESS));
        assertThat(delivered).containsExactly("y");
        nothingIsLeft();
    }

    /** It is on record, so it comes again: refused, it would be distributed although its client was told otherwise. */
    @Test
    void aMessageOnRecordThatCannotBeRetainedEndsTheConnection() {
        PersistentSession session = stage.persistent();
        overloadsNextSet();
        publish(session, 11, true, "a", "x");
        assertThat(stage.connection.sent).isEmpty();
        assertThat(stage.connection.closeReason).isEqualTo(ReasonCode.QUOTA_EXCEEDED.name());
        assertThat(delivered).isEmpty();
        nothingIsLeft();
    }

    @Test
    void aRefusedMessageLeavesItsPlaceAmongTheRetainedOnes() {
        stage.tenants()
                .say(
                        TenantId.DEFAULT,
                        TenantSettings.builder()
                                .set(TenantSetting.MAX_RETAINED_MESSAGES, 1)
                                .build());
        PersistentSession session = stage.persistent();
        stage.inbox.failNext(failure(Cause.OVERLOADED));
        publish(session, 11, true, "a", "x");
        publish(session, 12, true, "b", "y");
        assertThat(stage.connection.sent).containsExactly(new PubRec(11, ReasonCode.QUOTA_EXCEEDED), new PubRec(12));
        assertThat(stage.retain.topics()).containsExactly("b");
    }

    @Test
    void aRepetitionOfWhatWasDistributedIsAnsweredAndNotDistributedAgain() {
        PersistentSession session = stage.persistent();
        publish(session, 11, "x");
        assertThat(stage.connection.sent).containsExactly(new PubRec(11));
        stage.cut(session);
        PersistentSession next = stage.persistent();
        publish(next, 11, "x");
        assertThat(stage.connection.sent).containsExactly(new PubRec(11));
        assertThat(delivered).containsExactly("x");
        nothingIsLeft();
    }

    /** The next connection of its client waits until this one is done. */
    @Test
    void aMessageThatIsRefusedAfterItsConnectionHoldsNothing() {
        PersistentSession session = stage.persistent();
        CompletableFuture<Void> retained = new CompletableFuture<>();
        stage.retain.answerNextSet(retained);
        publish(session, 11, true, "a", "x");
        publish(session, 12, "y");
        stage.cut(session);
        assertThat(stage.isEnded).isFalse();

        retained.completeExceptionally(failure(Cause.OVERLOADED));
        stage.runTasks();
        assertThat(stage.isEnded).isTrue();
        assertThat(stage.connection.sent).isEmpty();
        assertThat(stage.connection.storing).isZero();
        assertThat(delivered).isEmpty();
    }
}
