package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.RouteNumber;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.mqtt.packet.SubAck;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.session.persistent.PersistentSession;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Changes of routes that may have been made, or that a later attachment has overtaken (docs/adr/0069): the client gets
 * no answer, and its next connection writes the missing routes.
 */
class UnknownRouteTest {
    private static final TopicFilter FILTER = TopicFilter.parse("a").orElseThrow();
    private static final Subscribe SUBSCRIBE = new Subscribe(1, List.of(new Subscription(FILTER, Qos.AT_LEAST_ONCE)));

    private final SessionStage stage = new SessionStage();

    private void failNextRoute(Cause cause) {
        stage.dist.failNextRoute(new RangeException(cause, "asked for by the test"));
    }

    private AttachReply attach() {
        return stage.inbox
                .attach(new AttachRequest(SessionStage.info("c"), false, 1000, null), new NoListener())
                .join();
    }

    private void writeRoutesOf(AttachReply reply) {
        CompletableFuture.allOf(PersistentSession.routesOf(SessionStage.info("c"), reply, stage.dist))
                .join();
    }

    @ParameterizedTest
    @EnumSource(
            value = Cause.class,
            names = {"CLOSED", "LOST", "TIMEOUT"})
    void aSubscribeGetsNoAnswerAndTheNextConnectionWritesItsRoute(Cause cause) {
        PersistentSession session = stage.persistent();
        failNextRoute(cause);
        session.onPacket(SUBSCRIBE);
        stage.runTasks();
        assertThat(stage.connection.sent).noneMatch(SubAck.class::isInstance);
        assertThat(stage.connection.isOpen()).isFalse();
        assertThat(stage.dist.size()).isZero();
        stage.cut(session);
        assertThat(stage.isEnded).isTrue();

        AttachReply next = attach();
        assertThat(next.subscriptions()).hasSize(1);
        writeRoutesOf(next);
        assertThat(stage.dist.size()).isOne();
    }

    /** The session has the subscription still, whether or not its route is gone. */
    @ParameterizedTest
    @EnumSource(
            value = Cause.class,
            names = {"CLOSED", "LOST", "TIMEOUT"})
    void anUnsubscribeGetsNoAnswerAndTheNextConnectionHasTheSubscription(Cause cause) {
        PersistentSession session = stage.persistent();
        session.onPacket(SUBSCRIBE);
        stage.runTasks();
        failNextRoute(cause);
        session.onPacket(new Unsubscribe(2, List.of(FILTER)));
        stage.runTasks();
        assertThat(stage.connection.sent).noneMatch(UnsubAck.class::isInstance);
        assertThat(stage.connection.isOpen()).isFalse();
        stage.cut(session);
        assertThat(stage.isEnded).isTrue();
        assertThat(attach().subscriptions()).hasSize(1);
    }

    /** So they replace what an earlier attachment has written, and changes of the connection replace them. */
    @Test
    void theRoutesOfAnAttachmentHaveItsNumberAndComeBeforeItsChanges() {
        InboxAttachment any = attach().attachment();
        StoredSubscription subscription = new StoredSubscription(FILTER, Qos.AT_LEAST_ONCE, false, false, 2, 0);
        writeRoutesOf(new AttachReply(true, 1, 4, List.of(subscription), new int[0], any));
        assertThat(stage.dist.numbers())
                .singleElement()
                .satisfies(number -> assertThat(number)
                        .isGreaterThan(RouteNumber.of(3, 1_000))
                        .isLessThan(RouteNumber.of(4, 1)));
    }
}
