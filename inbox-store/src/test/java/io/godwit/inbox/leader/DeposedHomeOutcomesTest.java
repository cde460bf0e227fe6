package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.InboxFailure;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.kv.client.RangeException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A home is cut off with entries on their way into the log, and learns that another one leads. Nobody knows whether its
 * entries are applied; clients of other nodes see a pause.
 */
@Tag("in-process")
class DeposedHomeOutcomesTest {
    private final HomesFixture homes = new HomesFixture(3, 3, true);
    private final String led0 = homes.idLedBy(0, "a");
    private final String led1 = homes.idLedBy(1, "b");
    private final TestConnection connection = homes.attach(2, led0);

    @AfterEach
    void close() {
        homes.close();
    }

    private void depose() {
        assertThat(homes.host.depose(HomesFixture.key(led0), 1, 0)).isTrue();
        homes.host.tellDeposed(0);
        homes.host.releaseCommits();
        homes.run();
    }

    /** The first message raises the sent ceiling; none is sent early before that. */
    private void pushEarly() {
        connection.attachment().request(10);
        homes.await(homes.insert(1, "before", 1, connection));
        homes.run();
        connection.acknowledgeAll();
        connection.take();
        homes.advance(1_000);
        homes.host.holdCommits();
    }

    @Test
    void whatItHadNotCommittedIsStoredByTheNextOne() {
        homes.host.holdCommits();
        CompletableFuture<List<InsertOutcome>> first = homes.insert(1, "first", 1, connection);
        CompletableFuture<List<InsertOutcome>> second = homes.insert(1, "second", 2, connection);
        homes.run();
        depose();
        assertThat(homes.await(first)).containsExactly(InsertOutcome.STORED);
        assertThat(homes.await(second)).containsExactly(InsertOutcome.STORED);
        assertThat(connection.ends).containsExactly(InboxListener.Reason.LOST);
        TestConnection next = homes.goOn(2, connection, 0);
        next.attachment().request(10);
        homes.run();
        assertThat(next.payloads()).containsExactly("first", "second");
    }

    /** The copy for another inbox is stored: it must not be stored there again, after later ones. */
    @Test
    void onlyTheCopyOfTheDeposedHomeIsSentAgain() {
        TestConnection other = homes.attach(2, led1);
        other.attachment().request(10);
        homes.host.holdCommits();
        CompletableFuture<List<InsertOutcome>> both = homes.insert(2, "both", 1, connection, other);
        homes.run();
        while (homes.host.commitOne(HomesFixture.key(led1))) {
            homes.run();
        }
        depose();
        assertThat(homes.await(both)).containsExactly(InsertOutcome.STORED, InsertOutcome.STORED);
        homes.run();
        assertThat(other.payloads()).containsExactly("both");
    }

    /** Its batch was sealed when the client acknowledged it, and is lost later: nothing waits for the batch. */
    @Test
    void whatItsClientHasAcknowledgedIsAnswered() {
        pushEarly();
        CompletableFuture<List<InsertOutcome>> early = homes.insert(1, "early", 1, connection);
        homes.run();
        assertThat(connection.payloads()).containsExactly("early");
        connection.acknowledgeAll();
        homes.run();
        assertThat(early).isCompletedWithValue(List.of(InsertOutcome.STORED));
        depose();
        TestConnection next = homes.goOn(2, connection, 0);
        assertThat(next).isNotNull();
        next.attachment().request(10);
        homes.run();
        assertThat(next.payloads()).isEmpty();
    }

    /** Nobody knows whether its client has it: it is sent again, as when its node was lost. */
    @Test
    void whatItsClientHasNotAcknowledgedIsSentAgain() {
        pushEarly();
        CompletableFuture<List<InsertOutcome>> early = homes.insert(1, "early", 1, connection);
        homes.run();
        assertThat(connection.payloads()).containsExactly("early");
        depose();
        assertThat(homes.await(early)).containsExactly(InsertOutcome.STORED);
    }

    /** Otherwise the client of another node would be disconnected, because its PUBREC could not be stored. */
    @Test
    void aCallOfAConnectionIsLost() {
        homes.await(homes.insert(1, "twice", 2, connection));
        connection.attachment().request(10);
        homes.run();
        homes.host.holdCommits();
        CompletableFuture<Void> received =
                connection.attachment().received(connection.delivered.get(0).sequence());
        homes.run();
        depose();
        assertThat(received).isCompletedExceptionally();
        Throwable failure = received.handle((done, cause) -> cause).join();
        assertThat(InboxFailure.of(failure)).as("%s", failure).isEqualTo(InboxFailure.LOST);
        assertThat(((RangeException) failure).reason()).isEqualTo(RangeException.Cause.LOST);
    }
}
