package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.inbox.InboxConfig;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.format.FilterTable;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.inbox.format.MutationCodec;
import io.godwit.inbox.leader.queue.Batch;
import io.godwit.inbox.leader.session.Filters;
import io.godwit.inbox.ledger.QueueSettings;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.coprocessor.RangeWrites;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** However much a range has to write at once, each mutation stays small: followers accept none beyond a limit. */
class BatchSizeTest {
    private static final int PAYLOAD = 50_000;
    /** A full batch with one more message. */
    private static final int ONE_OVER = Batch.FULL_BYTES + PAYLOAD + 4096;

    private InboxFixture store = fixture(64L << 20);
    private int largest;
    private int mutations;
    private long mostWritten;

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void qos0OfAConnectionThatEndsLeavesInBoundedMutations() {
        TestConnection connection = stopped("a");
        placeQos0(connection, 200);
        watch();
        store.detach(connection);
        store.host.runUntilIdle();
        assertThat(largest).isLessThan(ONE_OVER);
        assertAllAreThereInOrder(200);
    }

    @Test
    void qos0OfAConnectionThatIsTakenOverLeavesInBoundedMutations() {
        placeQos0(stopped("a"), 200);
        watch();
        store.attach("a");
        store.host.runUntilIdle();
        assertThat(largest).isLessThan(ONE_OVER);
        assertAllAreThereInOrder(200);
    }

    @Test
    void qos0OfAConnectionThatIsLostWithItsLeaderLeavesInBoundedMutations() {
        placeQos0(stopped("a"), 200);
        store.move();
        watch();
        store.host.advanceMillis(QueueSettings.WAIT_ALONE_MILLIS + 1);
        assertThat(largest).isLessThan(ONE_OVER);
        assertAllAreThereInOrder(200);
    }

    /** The record of the end must not depend on QoS 0 messages, some of which may fail. */
    @Test
    void theEndOfAConnectionIsOnRecordThoughQos0OfItFails() {
        TestConnection connection = stopped("a");
        placeQos0(connection, 20);
        store.host.holdSeals();
        var answer = connection.attachment().detach(-1, false);
        store.host.runUntilIdle();
        int waiting = store.host.waitingProposals();
        assertThat(waiting).isGreaterThan(3);
        store.host.releaseSeals();
        assertThat(answer).isNotDone();
        store.host.await(answer);
        store.host.runUntilIdle();
        assertAllAreThereInOrder(20);
    }

    @Test
    void qos0ThatWaitsForAConnectionIsBoundedInBytes() {
        store.close();
        store = fixture(1_000_000);
        TestConnection connection = stopped("a");
        placeQos0(connection, 100);
        assertThat(store.dropped("queue_full_oldest")).isEqualTo(81);
        assertThat(store.events).hasSize(81);
        connection.attachment().request(1);
        store.host.runUntilIdle();
        assertThat(connection.delivered).hasSize(20);
        assertThat(connection.delivered.get(1).message().topic()).isEqualTo("n/81");

        TestConnection other = stopped("b");
        store.insert("b", other.reply.incarnation(), sized("large", 3_000_000, 0));
        other.attachment().request(1);
        store.host.runUntilIdle();
        assertThat(other.delivered)
                .as("a message larger than the bound is delivered alone")
                .hasSize(2);
    }

    /** A limit per connection is no limit for many connections. */
    @Test
    void qos0ThatWaitsIsBoundedForAllConnectionsOfARange() {
        List<TestConnection> connections = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            connections.add(stopped("c" + i));
        }
        for (TestConnection connection : connections) {
            for (int i = 0; i < 20; i++) {
                store.insert(connection.clientId, connection.reply.incarnation(), sized("n/" + i, 1_000_000, 0));
            }
        }
        assertThat(store.dropped("queue_full_oldest")).isEqualTo(13);
        store.host.await(store.client.delete(TenantId.DEFAULT, new ClientId("c0")));
        store.insert("c3", connections.get(3).reply.incarnation(), sized("n/20", 1_000_000, 0));
        assertThat(store.dropped("queue_full_oldest"))
                .as("nothing more is dropped once there is room")
                .isEqualTo(13);
        assertThat(store.dropped("session_ended")).isEqualTo(21);

        store.move();
        TestConnection next = store.continueFrom(connections.get(1), 0);
        next.attachment().request(1);
        store.host.runUntilIdle();
        assertThat(next.delivered).hasSize(21);
    }

    /** The mutation has the message once, and the store has it once for each inbox. */
    @Test
    void aMessageForManyInboxesIsWrittenInBoundedParts() {
        List<InsertRequest.Target> targets = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            targets.add(InboxFixture.target("s" + i, store.absent("s" + i), Qos.AT_LEAST_ONCE));
        }
        watch();
        assertThat(store.host.await(store.client.insert(InboxFixture.request(sized("t", PAYLOAD, 1), targets))))
                .containsOnly(InsertOutcome.STORED);
        assertThat(mostWritten).isLessThan(Batch.FULL_WRITTEN_BYTES + 2 * PAYLOAD);
        assertThat(mutations).isLessThan(20);
        for (int i = 0; i < 1000; i += 111) {
            assertThat(store.stored("s" + i, InboxKeys.BODY)).isOne();
        }
    }

    /** An open batch takes the acknowledgements of all inboxes. */
    @Test
    void acknowledgementsOfManyInboxesLeaveInBoundedMutations() {
        List<TestConnection> connections = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            TestConnection connection = store.attach(longId(i));
            connection.attachment().request(1);
            store.insert(connection.clientId, connection.reply.incarnation(), store.message("m", 1));
            connections.add(connection);
        }
        store.host.advanceMillis(2_000);
        watch();
        connections.forEach(TestConnection::acknowledgeAll);
        store.host.advanceMillis(2_000);
        assertThat(largest).isLessThan(Batch.MAX_SEALED_BYTES * 5 / 4);
        assertThat(mutations).isGreaterThan(2);
        store.crash(0);
        for (int i = 0; i < 3000; i += 37) {
            TestConnection back = store.attach(longId(i));
            back.attachment().request(1);
            store.host.runUntilIdle();
            assertThat(back.delivered).isEmpty();
        }
    }

    @Test
    void tokensThatAreFinishedAreForgottenInBoundedParts() {
        String origin = "o".repeat(10_000);
        long incarnation = store.absent("a");
        for (int number = 1; number <= 300; number++) {
            insertToken(incarnation, origin, number, 0);
        }
        assertThat(store.stored("a", InboxKeys.TOKEN)).isEqualTo(300);
        watch();
        for (int i = 0; i < 40; i++) {
            insertToken(incarnation, origin, 301 + i, 301 + i);
        }
        assertThat(largest).isLessThan(Batch.FULL_BYTES + 3 * 10_000);
        assertThat(store.stored("a", InboxKeys.TOKEN)).isOne();
    }

    private void insertToken(long incarnation, String origin, long number, long finishedBelow) {
        InsertRequest request = new InsertRequest(
                TenantId.DEFAULT,
                store.message("m", 2),
                List.of(InboxFixture.target("a", incarnation, Qos.EXACTLY_ONCE)),
                origin,
                number,
                finishedBelow);
        assertThat(store.host.await(store.client.insert(request))).containsExactly(InsertOutcome.STORED);
    }

    /** A client chooses its filters, and so their page. */
    @Test
    void filtersThatAllFallOnOnePageAreWrittenInBoundedMutations() {
        List<StoredSubscription> filters = onOnePage(400);
        List<TestConnection> connections = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            TestConnection connection = store.attach("c" + i);
            store.host.await(connection.attachment().subscribe(filters));
            connections.add(connection);
        }
        watch();
        StoredSubscription before = filters.get(0);
        StoredSubscription changed =
                new StoredSubscription(before.filter(), Qos.AT_MOST_ONCE, false, false, before.retainHandling(), 0);
        connections.forEach(connection -> connection.attachment().subscribe(List.of(changed)));
        store.host.runUntilIdle();
        assertThat(largest).isLessThan(Batch.FULL_BYTES + 150_000);
        assertThat(mutations).isGreaterThanOrEqualTo(10);
    }

    private static List<StoredSubscription> onOnePage(int count) {
        List<StoredSubscription> filters = new ArrayList<>();
        for (int i = 0; filters.size() < count; i++) {
            StoredSubscription each = InboxFixture.subscription("x".repeat(300) + i);
            if (FilterTable.pageOf(each.filter()) == 0) {
                filters.add(each);
            }
        }
        return filters;
    }

    @Test
    void filtersThatAllFallOnOnePageAreRefusedBeyondABound() {
        List<StoredSubscription> filters = onOnePage(3000);
        TestConnection connection = store.attach("a");
        watch();
        int taken = 0;
        for (StoredSubscription each : filters) {
            CompletableFuture<List<Boolean>> answer = connection.attachment().subscribe(List.of(each, each));
            store.host.runUntilIdle();
            if (answer.isCompletedExceptionally()) {
                break;
            }
            taken++;
        }
        assertThat(taken).isBetween(1500, 1700);
        assertThat(largest).isLessThan(Filters.MAX_PAGE_BYTES);
        StoredSubscription next = filters.get(taken);
        assertThatThrownBy(() -> store.host.await(connection.attachment().subscribe(List.of(next))))
                .hasRootCauseInstanceOf(RangeException.class)
                .hasMessageContaining("OVERLOADED");
        assertThat(store.host.await(
                        connection.attachment().subscribe(List.of(InboxFixture.subscription("another/page")))))
                .containsExactly(true);
        store.host.await(connection
                .attachment()
                .unsubscribe(List.of(
                        filters.get(0).filter(),
                        filters.get(1).filter(),
                        TopicFilter.parse("another/page").orElseThrow())));
        assertThat(store.host.await(connection.attachment().subscribe(List.of(next))))
                .containsExactly(true);
        store.detach(connection);
        assertThat(store.attach("a").reply.subscriptions()).hasSize(taken - 1);
    }

    @Test
    void manyWillsArePublishedInBoundedMutations() {
        for (int i = 0; i < 2000; i++) {
            Will will = new Will(store.message("bye", 1), 10);
            store.detach(store.attach(longId(i), false, AttachRequest.NEVER, will), -1, true);
        }
        store.publishAnswer = null;
        watch();
        store.host.advanceMillis(10_000);
        assertThat(store.published).hasSize(2000);
        store.answerPublishes(true);
        assertThat(largest).isLessThan(Batch.MAX_SEALED_BYTES);
        store.publishAnswer = true;
        store.crash(0);
        store.host.runUntilIdle();
        assertThat(store.published).as("no will is published twice").hasSize(2000);
    }

    /** Each connection leaves one, while none can be published. */
    @Test
    void aRecordDoesNotGrowWithoutEndByWillsThatAreOwed() {
        store.publishAnswer = false;
        watch();
        int attached = 0;
        CompletableFuture<AttachReply> answer = attachWithWill();
        while (answer.isDone() && !answer.isCompletedExceptionally() && attached < 100) {
            attached++;
            answer = attachWithWill();
        }
        assertThat(answer.handle((reply, failure) -> ((RangeException) failure).reason()))
                .isCompletedWithValue(RangeException.Cause.OVERLOADED);
        assertThat(attached).isBetween(10, 20);
        assertThat(largest).isLessThan(6 << 20);
        store.publishAnswer = true;
        store.host.advanceMillis(60_000);
        assertThat(store.published.stream().filter(each -> Boolean.TRUE.equals(each.answer())))
                .hasSize(attached - 1);
        assertThat(attachWithWill()).isCompleted();
    }

    /** It is replaced, and stays nowhere. */
    @Test
    void aWillMayBeLargerThanWhatMayBeLeft() {
        Will will = new Will(sized("bye", 5 << 20, 1), 60);
        for (int i = 0; i < 3; i++) {
            assertThat(store.attach("a", false, AttachRequest.NEVER, will).reply.sessionPresent())
                    .isEqualTo(i > 0);
        }
    }

    private CompletableFuture<AttachReply> attachWithWill() {
        Will will = new Will(sized("bye", 300_000, 1), 0);
        CompletableFuture<AttachReply> answer =
                store.attachLater("a", false, AttachRequest.NEVER, will, new TestConnection());
        store.host.runUntilIdle();
        return answer;
    }

    private static String longId(int i) {
        return "c".repeat(400) + i;
    }

    /** Attached, with one message of QoS 1 in its queue and no credit for it. */
    private TestConnection stopped(String clientId) {
        TestConnection connection = store.attach(clientId);
        connection.attachment().request(0);
        store.insert(clientId, connection.reply.incarnation(), store.message("first", 1));
        store.host.runUntilIdle();
        return connection;
    }

    private void placeQos0(TestConnection connection, int count) {
        for (int i = 0; i < count; i++) {
            store.insert(connection.clientId, connection.reply.incarnation(), sized("n/" + i, PAYLOAD, 0));
        }
    }

    private void assertAllAreThereInOrder(int count) {
        assertThat(store.events).isEmpty();
        store.crash(0);
        TestConnection back = store.attach("a");
        back.attachment().request(1);
        store.host.runUntilIdle();
        List<String> topics = new ArrayList<>(List.of("t/1"));
        topics.addAll(IntStream.range(0, count).mapToObj(i -> "n/" + i).toList());
        assertThat(back.delivered.stream().map(each -> each.message().topic()).toList())
                .isEqualTo(topics);
    }

    private Message sized(String topic, int bytes, int qos) {
        return new Message(topic, new byte[bytes], Qos.of(qos), false, store.host.nowMillis(), MessageProperties.NONE);
    }

    private void watch() {
        largest = 0;
        mutations = 0;
        mostWritten = 0;
        store.host.watchMutations(mutation -> {
            largest = Math.max(largest, mutation.length);
            mutations++;
            CountingWrites writes = new CountingWrites();
            MutationCodec.apply(writes, mutation);
            mostWritten = Math.max(mostWritten, writes.bytes);
        });
    }

    private static InboxFixture fixture(long qos0Bytes) {
        InboxConfig config = new InboxConfig(
                1000,
                InboxConfig.DropPolicy.NEWEST,
                true,
                1000,
                qos0Bytes,
                Duration.ofSeconds(AttachRequest.NEVER),
                false);
        Predicate<byte[]> forgetsNothing = key -> false;
        return new InboxFixture(InboxFixture.settings(config, 4096), 1, forgetsNothing);
    }

    private static final class CountingWrites implements RangeWrites {
        private long bytes;

        @Override
        public void put(byte[] key, byte[] value) {
            bytes += key.length + value.length;
        }

        @Override
        public void delete(byte[] key) {
            bytes += key.length;
        }

        @Override
        public void deleteRange(byte[] start, byte[] end) {
            bytes += start.length + end.length;
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            throw new AssertionError(new String(key, StandardCharsets.ISO_8859_1));
        }

        @Override
        public RangeCursor cursor(byte[] start, byte @Nullable [] end) {
            throw new AssertionError("applying reads nothing");
        }
    }
}
