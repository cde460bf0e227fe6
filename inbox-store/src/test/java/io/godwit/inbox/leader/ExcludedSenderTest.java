package io.godwit.inbox.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.kv.testing.InMemoryNode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Node 2 has chosen a stored member of a shared group for a message, and its link to the member's home, node 0, is held
 * up. The publisher continues at node 1.
 */
class ExcludedSenderTest {
    private static final long SINCE = 5;

    private final HomesFixture homes = new HomesFixture(3, 3);
    private final TestConnection chosen = homes.attach(1, homes.idLedBy(0, "chosen"));
    private final TestConnection other = homes.attach(1, homes.idLedBy(1, "other"));
    private final Membership sender = new Membership();

    /** Node 2's own view of its membership. */
    private static final class Membership implements Resend {
        private long epoch = SINCE;

        @Override
        public boolean isAbandoned() {
            return epoch != SINCE;
        }

        @Override
        public long servingSince() {
            return SINCE;
        }
    }

    @BeforeEach
    void serves() {
        homes.nodes.forEach(node -> node.members.serves(2, SINCE));
        chosen.attachment().request(10);
        other.attachment().request(10);
        homes.run();
    }

    @AfterEach
    void close() {
        homes.close();
    }

    private CompletableFuture<List<InsertOutcome>> insert(
            int node, boolean onlyAsks, Resend resend, TestConnection... receivers) {
        InsertRequest request = homes.request("1", 2, receivers);
        List<InsertRequest.Target> shared = request.targets().stream()
                .map(target -> new InsertRequest.Target(
                        target.clientId(),
                        target.incarnation(),
                        target.qos(),
                        target.retain(),
                        target.subscriptionIds(),
                        "$share/g/t",
                        false))
                .toList();
        CompletableFuture<List<InsertOutcome>> answer = homes.client(node)
                .insert(new InsertRequest(
                        request.tenant(), request.message(), shared, "o", 7, 0, onlyAsks, null, resend));
        homes.run();
        return answer;
    }

    private CompletableFuture<List<InsertOutcome>> heldUp() {
        homes.net.cut(InMemoryNode.id(2), InMemoryNode.id(0));
        return insert(2, false, sender, chosen);
    }

    private void mend() {
        homes.net.mend(InMemoryNode.id(2), InMemoryNode.id(0));
        homes.run();
    }

    private static RangeException.Cause causeOf(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        return failed.handle((value, failure) -> ((RangeException) failure).reason())
                .join();
    }

    @Test
    void whatALinkHadTakenOfANodeThatWasExcludedIsNotStored() {
        CompletableFuture<List<InsertOutcome>> late = heldUp();
        homes.nodes.forEach(node -> node.members.excludes(2, 9));
        assertThat(homes.await(insert(1, true, Resend.ALWAYS, chosen, other)))
                .containsExactly(InsertOutcome.DECLINED, InsertOutcome.DECLINED);
        assertThat(homes.await(insert(1, false, Resend.ALWAYS, other))).containsExactly(InsertOutcome.STORED);
        mend();
        homes.advance(1_000);
        assertThat(late).as("the home still takes the sender for a member").isNotDone();
        homes.nodes.forEach(node -> node.members.serves(2, 12));
        homes.advance(1_000);
        assertThat(late).isNotDone();
        sender.epoch = 12;
        homes.advance(1_000);
        assertThat(causeOf(late)).as("the insert was given up").isEqualTo(RangeException.Cause.CLOSED);
        assertThat(chosen.payloads()).isEmpty();
        assertThat(other.payloads()).containsExactly("1");
        assertThat(homes.await(homes.insert(2, "later", 1, chosen))).containsExactly(InsertOutcome.STORED);
        assertThat(homes.nodes.get(2).peers.waitingBytes()).isZero();
    }

    /** It cannot have been excluded before it served; and a query by a later view is not answered here yet. */
    @Test
    void aHomeThatDoesNotKnowYetThatTheSenderServesTakesTheMessage() {
        homes.nodes.get(0).members.excludes(2, SINCE - 1);
        assertThat(homes.await(insert(2, false, sender, chosen))).containsExactly(InsertOutcome.STORED);
        assertThat(chosen.payloads()).containsExactly("1");
    }

    @Test
    void aHomeAnswersAQuestionOnceItKnowsTheViewOfWhoAsks() {
        CompletableFuture<List<InsertOutcome>> late = heldUp();
        homes.nodes.get(1).members.excludes(2, 9);
        CompletableFuture<List<InsertOutcome>> known = insert(1, true, Resend.ALWAYS, chosen);
        homes.advance(500);
        assertThat(known).isNotDone();
        mend();
        assertThat(homes.await(late))
                .as("the home does not know of the exclusion")
                .containsExactly(InsertOutcome.STORED);
        homes.advance(500);
        assertThat(known).isNotDone();
        homes.nodes.get(0).members.excludes(2, 9);
        assertThat(homes.await(known)).containsExactly(InsertOutcome.ALREADY_THERE);
    }

    /** A message from an older node. */
    @Test
    void whatNamesNoRevisionIsStored() {
        homes.net.cut(InMemoryNode.id(2), InMemoryNode.id(0));
        CompletableFuture<List<InsertOutcome>> late = insert(2, false, Resend.ALWAYS, chosen);
        homes.nodes.forEach(node -> node.members.excludes(2, 9));
        mend();
        assertThat(homes.await(late)).containsExactly(InsertOutcome.STORED);
    }
}
