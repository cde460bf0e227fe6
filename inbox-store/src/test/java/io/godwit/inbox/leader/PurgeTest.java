package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.InboxClient.Purged;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.format.InboxKeys;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An operator empties queues. */
class PurgeTest {
    private final InboxFixture store = new InboxFixture();

    @AfterEach
    void close() {
        store.close();
    }

    private CompletableFuture<Optional<Purged>> purgeLater(String clientId) {
        return store.client.purge(TenantId.DEFAULT, new ClientId(clientId), Resend.ALWAYS);
    }

    private Optional<Purged> purge(String clientId) {
        return store.host.await(purgeLater(clientId));
    }

    /** A connection that gets all its messages. */
    private TestConnection read(String clientId) {
        TestConnection back = store.attach(clientId);
        back.attachment().request(10_000);
        store.host.runUntilIdle();
        return back;
    }

    @Test
    void theQueueOfAnAbsentSessionIsEmptyAndStaysSo() {
        long incarnation = store.absent("a");
        for (int i = 0; i < 200; i++) {
            store.insert("a", incarnation, store.message("m" + i, i % 3));
        }
        int kept = store.droppedTopics().size(); // QoS 0 messages beyond the limit
        assertThat(purge("a")).contains(new Purged(200 - kept, 0));
        assertThat(store.dropped("purged")).isEqualTo(200.0 - kept);
        assertThat(store.droppedTopics()).hasSize(200);
        store.crash(0);
        assertThat(purge("a")).contains(new Purged(0, 0));
        store.insert("a", incarnation, store.message("later", 1));
        TestConnection back = read("a");
        assertThat(back.reply.sessionPresent()).isTrue();
        assertThat(back.reply.subscriptions()).hasSize(1);
        assertThat(back.payloads()).containsExactly("later");
    }

    @Test
    void whatMayHaveBeenSentStaysWithItsPacketIdAndItsState() {
        long incarnation = store.absent("a");
        for (int i = 0; i < 50; i++) {
            store.insert("a", incarnation, store.message("m" + i, 1 + i % 2));
        }
        TestConnection first = store.attach("a");
        first.attachment().request(6);
        store.host.runUntilIdle();
        List<InboxMessage> sent = first.take();
        store.host.await(first.attachment().received(sent.get(1).sequence())); // m1 of QoS 2: PUBREC
        store.detach(first);

        assertThat(purge("a")).contains(new Purged(44, 6));
        store.crash(0);
        TestConnection back = read("a");
        List<InboxMessage> again = back.take();
        assertThat(again)
                .extracting(InboxMessage::packetId)
                .isEqualTo(sent.stream().map(InboxMessage::packetId).toList());
        assertThat(again.get(1).released()).isTrue();
        assertThat(again).allMatch(InboxMessage::redelivered);
    }

    @Test
    void aConnectionWithoutCreditGetsNothingOfItAndGoesOnWithWhatComesLater() {
        TestConnection connection = store.attach("a");
        long incarnation = connection.reply.incarnation();
        connection.attachment().request(2);
        for (int i = 0; i < 600; i++) { // more than is held in memory
            store.insert("a", incarnation, store.message("m" + i, 1));
        }
        store.insert("a", incarnation, store.message("waits in memory", 0));
        assertThat(connection.payloads()).containsExactly("m0", "m1");
        assertThat(purge("a")).contains(new Purged(599, 2));
        assertThat(store.dropped("purged")).isEqualTo(599);

        for (int i = 0; i < 300; i++) {
            store.insert("a", incarnation, store.message("n" + i, i % 3));
        }
        connection.attachment().request(1_000);
        store.host.runUntilIdle();
        assertThat(connection.payloads()).hasSize(302);
        assertThat(connection.payloads().subList(2, 302)).allMatch(payload -> payload.startsWith("n"));
        connection.acknowledgeAll();
        store.host.runUntilIdle();
        assertThat(connection.ends).isEmpty();
    }

    @Test
    void whatIsNotCommittedYetIsLaterAndItsPublisherIsToldTheTruth() {
        long incarnation = store.absent("a");
        store.insert("a", incarnation, store.message("before", 1));
        store.host.holdCommits();
        CompletableFuture<List<InsertOutcome>> answer = store.insertLater("a", incarnation, store.message("under", 1));
        store.host.runUntilIdle();
        CompletableFuture<Optional<Purged>> purged = purgeLater("a");
        store.host.runUntilIdle();
        assertThat(purged).isNotDone();
        store.host.releaseCommits();
        assertThat(store.host.await(answer)).containsExactly(InsertOutcome.STORED);
        assertThat(store.host.await(purged)).contains(new Purged(1, 0));
        assertThat(read("a").payloads()).containsExactly("under");
    }

    @Test
    void itIsDoneOnceItIsAnsweredWhateverHappensThen() {
        long incarnation = store.absent("a");
        for (int i = 0; i < 10; i++) {
            store.insert("a", incarnation, store.message("m" + i, 1));
        }
        purge("a");
        store.crash(0);
        store.move();
        assertThat(read("a").payloads()).isEmpty();
    }

    @Test
    void theSpaceOfALongQueueComesBack() {
        long incarnation = store.absent("a");
        for (int i = 0; i < 900; i++) {
            store.insert("a", incarnation, store.message("m" + i, 1));
        }
        assertThat(store.stored("a", InboxKeys.RUN)).isGreaterThan(100);
        purge("a");
        assertThat(store.stored("a", InboxKeys.RUN)).isZero();
        assertThat(store.stock.messages()).isZero();
    }

    @Test
    void withoutAStoredSessionThereIsNothingToEmpty() {
        assertThat(purge("nobody")).isEmpty();
        store.attach("clean", true, 0, null);
        assertThat(purge("clean")).isEmpty();
        store.detach(store.attach("brief", false, 10, null));
        assertThat(purge("brief")).contains(new Purged(0, 0));
        store.host.stepWallClock(11_000);
        assertThat(purge("brief")).isEmpty();
    }
}
