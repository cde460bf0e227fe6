package io.godwit.broker.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.api.port.Answer;
import io.godwit.api.port.SubscriptionAdmin.Receiver;
import io.godwit.api.port.SubscriptionAdmin.Receivers;
import io.godwit.broker.clients.wire.ReceiversAnswer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who gets a topic, asked at one node of three. */
@Timeout(60)
class ReceiversOverNodesTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway.Init")
    private ThreeNodes nodes;

    @BeforeEach
    void open() throws Exception {
        nodes = new ThreeNodes(directory);
        nodes.connect();
        nodes.a.add("c1");
        nodes.b.add("c2", "c4");
        nodes.c.add("c3");
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    private Answer<Receivers> ask(int limit, Duration within) throws Exception {
        return nodes.receivers.receivers("default", "t", limit, within).get(30, TimeUnit.SECONDS);
    }

    private static Receiver live(String clientId, String node) {
        return new Receiver(clientId, node, false, 1, "$share/g/t");
    }

    /** Each node knows all stored ones: they count once. */
    @Test
    void liveOnesOfAllNodesAndStoredOnesOfThisAreListed() throws Exception {
        assertThat(ask(10, LONG))
                .isEqualTo(Answer.complete(new Receivers(
                        List.of(
                                live("c1", "a"),
                                live("c2", "b"),
                                live("c3", "c"),
                                live("c4", "b"),
                                new Receiver("kept", "", true, 2, "")),
                        5)));
        assertThat(ask(2, LONG))
                .isEqualTo(Answer.complete(new Receivers(List.of(live("c1", "a"), live("c2", "b")), 5)));
    }

    @Test
    void whoHasAFilterIsAskedForInTheSameWay() throws Exception {
        Answer<Receivers> answer =
                nodes.receivers.subscribers("default", "a/+", 10, LONG).get(30, TimeUnit.SECONDS);
        assertThat(answer.value().total()).isEqualTo(5);
        assertThat(answer.value().items())
                .filteredOn(each -> !each.stored())
                .extracting(Receiver::sharedFilter)
                .containsOnly("$share/filter/a/+");
        for (String filter : List.of("", "a/#/b", "a+", "$share/g", "a\0b")) {
            assertThat(nodes.receivers.subscribers("default", filter, 10, LONG)).isCompletedExceptionally();
        }
    }

    @Test
    void aNodeThatDoesNotAnswerIsNamed() throws Exception {
        nodes.b.isSilent = true;
        Answer<Receivers> answer = ask(10, Duration.ofMillis(1_500));
        assertThat(answer.missingNodes()).containsExactly("b");
        assertThat(answer.value().total()).isEqualTo(3);
    }

    @Test
    void whatIsNoTopicOrNoListIsRefused() throws Exception {
        for (String topic : List.of("", "a/+", "#", "a\0b", "x".repeat(65_536))) {
            assertThat(nodes.receivers.receivers("default", topic, 10, LONG)).isCompletedExceptionally();
        }
        assertThat(nodes.receivers.receivers("default", "t", 0, LONG)).isCompletedExceptionally();
        assertThat(nodes.receivers.receivers("default", "t", 1_001, LONG)).isCompletedExceptionally();
        assertThat(nodes.receivers.receivers("no tenant", "t", 10, LONG))
                .isCompletedWithValue(Answer.complete(new Receivers(List.of(), 0)));
    }

    @Test
    void anAnswerThatCannotBeIsRefused() {
        io.godwit.broker.clients.wire.Receiver good = io.godwit.broker.clients.wire.Receiver.newBuilder()
                .setClientId("c")
                .build();
        List<ReceiversAnswer> lies = List.of(
                ReceiversAnswer.newBuilder().addReceivers(good).build(),
                ReceiversAnswer.newBuilder().addReceivers(good).setTotal(-1).build(),
                ReceiversAnswer.newBuilder()
                        .addReceivers(good)
                        .addReceivers(good)
                        .setTotal(2)
                        .build(),
                ReceiversAnswer.newBuilder()
                        .addReceivers(good.toBuilder().setQos(3))
                        .setTotal(1)
                        .build(),
                ReceiversAnswer.newBuilder()
                        .addReceivers(good.toBuilder().setClientId(""))
                        .setTotal(1)
                        .build());
        for (ReceiversAnswer lie : lies) {
            assertThatThrownBy(() -> ReceiversWire.receivers(lie, 1)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
