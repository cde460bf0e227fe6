package io.godwit.mqtt.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.RangeException;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** An UNSUBSCRIBE of filters that the session does not have is answered without asking a store; others never are. */
class UnknownFiltersTest {
    private static final TopicFilter A = filter("a");
    private static final TopicFilter B = filter("b");

    private final SessionStage stage = new SessionStage();
    private int packetId;

    private static TopicFilter filter(String text) {
        return TopicFilter.parse(text).orElseThrow();
    }

    private static RangeException refusal() {
        return new RangeException(RangeException.Cause.OVERLOADED, "asked for by the test");
    }

    private void subscribe(Session session, TopicFilter... filters) {
        session.onPacket(new Subscribe(
                ++packetId,
                List.of(filters).stream()
                        .map(each -> new Subscription(each, Qos.AT_LEAST_ONCE))
                        .toList()));
    }

    private void unsubscribe(Session session, TopicFilter... filters) {
        session.onPacket(new Unsubscribe(++packetId, List.of(filters)));
    }

    /** Of the last UNSUBACK. */
    private List<ReasonCode> answer() {
        stage.runTasks();
        return stage.connection.sent.stream()
                .filter(UnsubAck.class::isInstance)
                .map(packet -> ((UnsubAck) packet).reasonCodes())
                .reduce((first, second) -> second)
                .orElseThrow();
    }

    private void asksNoStore(Session session) {
        subscribe(session, A);
        stage.runTasks();
        TopicFilter[] strange =
                IntStream.range(0, 10_000).mapToObj(i -> filter("s/" + i)).toArray(TopicFilter[]::new);
        unsubscribe(session, strange);
        assertThat(answer()).hasSize(10_000).containsOnly(ReasonCode.NO_SUBSCRIPTION_EXISTED);
        assertThat(stage.dist.removals()).isZero();
        assertThat(stage.inbox.removals()).isZero();
        assertThat(stage.dist.size()).isEqualTo(1);
        assertThat(stage.connection.loop().filterRoom().filters()).isZero();
    }

    @Test
    void aLiveSessionAsksNoStoreForThem() {
        asksNoStore(stage.clean());
    }

    @Test
    void aStoredSessionAsksNoStoreForThem() {
        asksNoStore(stage.persistent());
    }

    private void asksForItsOwnOnly(Session session) {
        subscribe(session, A, B);
        stage.runTasks();
        unsubscribe(session, filter("x"), B, filter("y"), A, B, filter("z"));
        assertThat(answer())
                .containsExactly(
                        ReasonCode.NO_SUBSCRIPTION_EXISTED,
                        ReasonCode.SUCCESS,
                        ReasonCode.NO_SUBSCRIPTION_EXISTED,
                        ReasonCode.SUCCESS,
                        ReasonCode.NO_SUBSCRIPTION_EXISTED,
                        ReasonCode.NO_SUBSCRIPTION_EXISTED);
        assertThat(stage.dist.removals()).isEqualTo(3);
        assertThat(stage.dist.size()).isZero();
        unsubscribe(session, A);
        assertThat(answer()).containsExactly(ReasonCode.NO_SUBSCRIPTION_EXISTED);
        assertThat(stage.dist.removals()).isEqualTo(3);
    }

    @Test
    void aLiveSessionAsksForItsOwnOnly() {
        asksForItsOwnOnly(stage.clean());
    }

    @Test
    void aStoredSessionAsksForItsOwnOnly() {
        asksForItsOwnOnly(stage.persistent());
    }

    @Test
    void aResumedSessionKnowsWhatItHad() {
        Session first = stage.persistent();
        subscribe(first, A);
        stage.cut(first);
        Session second = stage.persistent();
        unsubscribe(second, A, B);
        assertThat(answer()).containsExactly(ReasonCode.SUCCESS, ReasonCode.NO_SUBSCRIPTION_EXISTED);
        assertThat(stage.dist.removals()).isEqualTo(1);
        assertThat(stage.dist.size()).isZero();
    }

    /** The first UNSUBSCRIBE may be refused, and then the second one counts. */
    @Test
    void oneThatIsBeingRemovedIsAskedFor() {
        Session session = stage.persistent();
        subscribe(session, A);
        stage.runTasks();
        CompletableFuture<Void> route = new CompletableFuture<>();
        stage.dist.holdNextRoute(route);
        unsubscribe(session, A);
        unsubscribe(session, A);
        stage.runTasks();
        route.completeExceptionally(refusal());
        assertThat(answer()).containsExactly(ReasonCode.SUCCESS);
        assertThat(stage.dist.removals()).isEqualTo(2);
    }

    @Test
    void oneWhoseRemovalAndNewSubscriptionWereRefusedIsStillKnown() {
        Session session = stage.persistent();
        subscribe(session, A);
        stage.runTasks();
        CompletableFuture<Void> route = new CompletableFuture<>();
        stage.dist.holdNextRoute(route);
        unsubscribe(session, A);
        subscribe(session, A);
        stage.runTasks();
        stage.inbox.failNext(refusal());
        route.completeExceptionally(refusal());
        assertThat(answer()).containsExactly(ReasonCode.UNSPECIFIED_ERROR);
        unsubscribe(session, A);
        assertThat(answer()).containsExactly(ReasonCode.SUCCESS);
    }

    @Test
    void oneOfTwoSubscriptionsThatWasStoredIsKnown() {
        Session session = stage.persistent();
        stage.inbox.failNext(refusal());
        subscribe(session, A);
        subscribe(session, A);
        stage.runTasks();
        unsubscribe(session, A);
        assertThat(answer()).containsExactly(ReasonCode.SUCCESS);
    }

    /** Else a client that is refused often would have no filters left. */
    @Test
    void oneThatWasRefusedTakesNoPlace() {
        Session session = stage.persistent();
        stage.inbox.failNext(refusal());
        subscribe(session, A, A);
        stage.runTasks();
        assertThat(session.filterCount()).isZero();
        unsubscribe(session, A);
        assertThat(answer()).containsExactly(ReasonCode.NO_SUBSCRIPTION_EXISTED);
        assertThat(stage.inbox.removals()).isZero();
    }

    @Test
    void exclusiveOnesThatAreNotAllowedTakeNoPlace() {
        Session session = stage.persistent();
        TopicFilter exclusive = filter("$exclusive/a");
        subscribe(session, exclusive, exclusive);
        stage.runTasks();
        assertThat(session.filterCount()).isZero();
        unsubscribe(session, exclusive);
        assertThat(answer()).containsExactly(ReasonCode.NO_SUBSCRIPTION_EXISTED);
        assertThat(stage.dist.removals()).isZero();
    }
}
