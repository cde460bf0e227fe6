package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Clause;
import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.leader.qos.InboundHandler;
import io.godwit.kv.client.RangeException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages of QoS 2 that wait while the store distributes those of an ended connection, when their own ends too. */
class InboundWaitsTest {
    private static final int LONG_MILLIS = 120_000;

    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    private List<String> published() {
        return store.published.stream()
                .map(each -> new String(each.message().payload(), StandardCharsets.UTF_8))
                .distinct()
                .toList();
    }

    /** The store tries to distribute "one", which its client has left, and fails. */
    private Inbound leaveOne() {
        TestConnection connection = store.attach("a");
        Inbound one = store.host.await(connection.attachment().receive(5, store.message("one", 2)));
        store.publishAnswer = false;
        store.detach(connection);
        store.host.advanceMillis(LONG_MILLIS);
        assertThat(published()).containsExactly("one");
        return one;
    }

    /** Its node waits for the answer before it gives the client id to the next connection. */
    @Test
    void aMessageThatWaitsIsAnsweredWhenItsConnectionEnds() {
        leaveOne();
        TestConnection back = store.attach("a");
        CompletableFuture<Inbound> repeated = back.attachment().receive(5, store.message("one", 2));
        CompletableFuture<Inbound> two = back.attachment().receive(6, store.message("two", 2));
        store.host.runUntilIdle();
        assertThat(repeated).isNotDone();
        assertThat(two).isNotDone();

        store.detach(back);
        assertThat(repeated).isCompletedExceptionally();
        assertThat(two).isCompletedExceptionally();

        store.publishAnswer = true;
        store.host.advanceMillis(LONG_MILLIS);
        assertThat(published()).containsExactly("one", "two");
    }

    /** A late mark of the first connection leaves nothing of it to be distributed, and the store still tries. */
    @Test
    @Clause("MQTT5-4.6.0-5")
    void whatASecondConnectionLeavesIsDistributedBeforeWhatAThirdOneSends() {
        Inbound one = leaveOne();
        TestConnection second = store.attach("a");
        CompletableFuture<Inbound> two = second.attachment().receive(6, store.message("two", 2));
        store.host.await(second.attachment().distributed(5, one.tokenNumber()));
        assertThat(two).isNotDone();
        store.detach(second);
        assertThat(two).isCompletedExceptionally();
        store.host.advanceMillis(InboundHandler.GRACE_MILLIS);

        TestConnection third = store.attach("a");
        CompletableFuture<Inbound> three = third.attachment().receive(7, store.message("three", 2));
        store.host.advanceMillis(LONG_MILLIS);
        assertThat(published()).containsExactly("one", "two");
        assertThat(three).as("two is not distributed yet").isNotDone();

        store.publishAnswer = true;
        store.host.advanceMillis(LONG_MILLIS);
        assertThat(store.host.await(three).isDistributed()).isFalse();
    }

    /** A second distribution beside the first would let "two" overtake "one" when this fails. */
    @Test
    void whatASecondConnectionLeavesJoinsTheDistributionThatIsUnderWay() {
        TestConnection first = store.attach("a");
        store.host.await(first.attachment().receive(5, store.message("one", 2)));
        store.publishAnswer = null;
        store.detach(first);
        store.host.advanceMillis(InboundHandler.GRACE_MILLIS);
        assertThat(published()).containsExactly("one");

        TestConnection second = store.attach("a");
        CompletableFuture<Inbound> two = second.attachment().receive(6, store.message("two", 2));
        store.host.runUntilIdle();
        assertThat(two).isNotDone();
        store.detach(second);
        assertThat(two).isCompletedExceptionally();
        store.host.advanceMillis(InboundHandler.GRACE_MILLIS);
        assertThat(published()).containsExactly("one", "two");
        assertThat(store.published.get(1).order())
                .isSameAs(store.published.get(0).order());

        TestConnection third = store.attach("a");
        CompletableFuture<Inbound> three = third.attachment().receive(7, store.message("three", 2));
        store.host.runUntilIdle();
        assertThat(three).isNotDone();
        store.answerPublishes(true);
        assertThat(store.host.await(three).isDistributed()).isFalse();
        assertThat(store.published).as("each once").hasSize(2);
    }

    /** Its client sends it again, and the store must know it under one token. */
    @Test
    void aMessageThatWaitsAndCannotBeStoredIsNotDistributed() {
        leaveOne();
        TestConnection back = store.attach("a");
        store.host.holdSeals();
        CompletableFuture<Inbound> two = back.attachment().receive(6, store.message("two", 2));
        store.host.runUntilIdle();
        store.host.failWrites(RangeException.Cause.OVERLOADED);
        store.host.acceptWrites();
        store.host.releaseSeals();
        store.host.runUntilIdle();
        assertThat(two).isCompletedExceptionally();

        store.publishAnswer = true;
        store.host.advanceMillis(LONG_MILLIS);
        assertThat(published()).containsExactly("one");
    }

    /** A new message under the packet id must not be taken for the old one. */
    @Test
    void aMessageReleasedWhileTheStoreDistributesItLeavesNoRecord() {
        TestConnection connection = store.attach("a");
        store.host.await(connection.attachment().receive(5, store.message("one", 2)));
        store.publishAnswer = null;
        store.detach(connection);
        store.host.advanceMillis(InboundHandler.GRACE_MILLIS);
        TestConnection back = store.attach("a");
        assertThat(store.host.await(back.attachment().release(5))).isTrue();

        store.answerPublishes(true);
        store.host.runUntilIdle();
        assertThat(store.stored("a", InboxKeys.INBOUND)).isZero();
    }
}
