package io.godwit.dist.member;

import static io.godwit.dist.member.MemberWorld.MILLI;
import static io.godwit.dist.member.MemberWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.member.view.NodeLife;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.NodeWait;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a node does that cannot prove that it serves: it holds acknowledgements, and in the end closes its clients. */
@Tag("slow")
class MemberProofTest extends MembersFixture {
    /** A closed connection keeps its client id until its publishes are answered. */
    @Test
    void whatIsHeldIsRefusedWhenItsClientsAreClosedForWantOfAProof() {
        MemberWorld world = serving(1);
        MemberNode node = world.node(0);
        node.cutFromStore(true);
        node.cutLinks(true);
        world.runFor(3 * SECOND);
        CompletableFuture<Boolean> held = node.members().untilMayAcknowledge();
        world.runFor(3 * SECOND);
        assertThat(held).isNotDone();
        world.runFor(4 * SECOND);
        assertThat(node.closed()).isPositive();
        assertThat(held).isCompletedWithValue(false);
    }

    @Test
    void whatIsHeldIsRefusedWhenTheOthersHaveGoneOnAndItsClientsAreClosed() {
        MemberWorld world = serving(1);
        MemberNode node = world.node(0);
        node.cutFromStore(true);
        node.cutLinks(true); // it cannot join again
        world.runFor(3 * SECOND);
        CompletableFuture<Boolean> held = node.members().untilMayAcknowledge();
        CompletableFuture<Void> excluded = world.node(1).members().exclude(node.life(), "test");
        world.runFor(3 * SECOND);
        assertThat(excluded).isCompleted();
        assertThat(held).isNotDone();
        node.cutFromStore(false);
        world.runFor(SECOND);
        assertThat(node.closed()).isPositive();
        assertThat(held).isCompletedWithValue(false);
    }

    /** Very many publishes may wait, and the thread's ticks are the proof that the node serves. */
    @Test
    void whoWaitsIsNotToldOnTheThreadOfTheMembers() {
        MemberWorld world = serving(1);
        MemberNode node = world.node(0);
        Map<String, Boolean> wasOnThread = new TreeMap<>();
        node.cutFromStore(true);
        world.runFor(3 * SECOND);
        node.members()
                .untilMayAcknowledge()
                .thenAccept(may -> wasOnThread.put("proved " + may, node.isOnMembersThread()));
        node.cutFromStore(false);
        world.runFor(2 * SECOND);
        NodeLife other = world.node(1).life();
        node.members()
                .exclude(other, "test")
                .whenComplete((done, failure) -> wasOnThread.put("excluded", node.isOnMembersThread()));
        node.members()
                .exclude(node.life(), "test")
                .whenComplete((done, failure) -> wasOnThread.put("refused", node.isOnMembersThread()));
        world.runFor(5 * SECOND);
        assertThat(wasOnThread).isEqualTo(Map.of("proved true", false, "excluded", false, "refused", false));
    }

    @Test
    void withoutAMajorityNobodyIsExcludedAndNobodyStaysFresh() {
        MemberWorld world = serving(1);
        world.setMajority(false);
        CompletableFuture<Void> excluded =
                world.node(0).members().exclude(world.node(1).life(), "test");
        world.runFor(2 * SECOND);
        assertThat(world.nodes()).noneMatch(node -> node.members().mayAcknowledge());
        CompletableFuture<Boolean> held = world.node(2).members().untilMayAcknowledge();
        CompletableFuture<Boolean> later = new CompletableFuture<>();
        world.after(
                10 * SECOND, () -> world.node(2).members().untilMayAcknowledge().thenAccept(later::complete));
        world.runFor(20 * SECOND);
        assertThat(excluded).isCompletedExceptionally();
        assertThat(held).isCompletedWithValue(false);
        assertThat(later).isNotDone();
        world.setMajority(true);
        world.runFor(2 * SECOND);
        assertThat(later).isCompletedWithValue(true);
        assertThat(world.nodes()).allMatch(node -> node.members().mayAcknowledge());
    }

    @Test
    void anAcknowledgementIsHeldForAsLongAsIsConfiguredAndThenRefused() {
        Duration hold = Duration.ofSeconds(4);
        MemberWorld world = serving(new MemberWorld(1, hold));
        MemberNode node = world.node(0);
        world.setMajority(false);
        world.runFor(2 * SECOND);
        CompletableFuture<Boolean> may = node.members().untilMayAcknowledge();
        world.runFor(hold.toNanos() - SECOND);
        assertThat(may).isNotDone();
        world.runFor(2 * SECOND);
        assertThat(may).isCompletedWithValue(false);
        assertThat(node.refused())
                .as("refusals, including those for the publishers of the simulation")
                .isPositive();
        assertThat(node.events())
                .filteredOn(event -> event instanceof BrokerEvent.WaitRanOut)
                .containsOnly(
                        new BrokerEvent.WaitRanOut(NodeWait.PROOF, hold, node.life() + " cannot prove that it serves"));
    }

    /** As when the leader of the view's range stands still: nobody can be evicted until there is another leader. */
    @Test
    void withoutALeaderOfTheViewClientsStayForAsLongAsTheOthersSayThatTheNodeServes() {
        MemberWorld world = serving(1);
        world.node(3).stand(true);
        world.setMajority(false);
        world.runFor(30 * SECOND);
        assertThat(world.node(0).isOpen()).isTrue();
        assertThat(world.node(1).isOpen()).isTrue();
        world.node(1).cutLinks(true);
        world.runFor(5 * SECOND);
        assertThat(world.node(1).isOpen()).isFalse();
        assertThat(world.node(0).isOpen())
                .as("no proof, because two of the other members are silent")
                .isFalse();
        world.setMajority(true);
        world.node(1).cutLinks(false);
        // an exclusion requested meanwhile is committed now, so the node must join again
        world.runFor(15 * SECOND);
        assertThat(world.node(0).members().mayAcknowledge()).isTrue();
    }

    @Test
    void aNodeThatIsCutOffClosesItsClientsBeforeTheOthersServeThem() {
        for (long seed = 1; seed <= 20; seed++) {
            MemberWorld world = serving(seed);
            MemberNode cut = world.node(3);
            cut.cutFromStore(true);
            cut.cutLinks(seed % 2 == 0);
            world.node(0).members().exclude(cut.life(), "test");
            world.runFor(6 * SECOND);
            assertThat(cut.isOpen())
                    .as("the clients stay, because the node may come back")
                    .isTrue();
            world.runFor(10 * SECOND); // the world checks at the moment of the eviction
            assertThat(world.newest().find(cut.life())).isNull();
            assertThat(cut.isOpen()).isFalse();
        }
    }

    /** A member that is not silent has ten seconds after its lapse, which may be too long for the clients that wait. */
    @Test
    void aSilentNodeIsEvictedWithinTwelveSeconds() {
        for (long seed = 1; seed <= 40; seed++) {
            MemberWorld world = serving(seed);
            MemberNode silent = world.node(3);
            if (seed % 2 == 0) {
                silent.stand(true);
            } else {
                silent.cutFromStore(true);
                silent.cutLinks(true);
            }
            world.runFor(8 * SECOND);
            world.node(0).members().exclude(silent.life(), "test");
            world.runFor(4 * SECOND); // the world checks at the moment of the eviction
            assertThat(world.newest().find(silent.life())).as("seed %d", seed).isNull();
        }
    }

    @Test
    void aNodeThatStoodStillDoesNotAcknowledgeWhatTheOthersWentOnWithout() {
        MemberWorld world = serving(3);
        MemberNode still = world.node(3);
        long epoch = still.members().epoch();
        still.stand(true);
        CompletableFuture<Void> excluded = world.node(0).members().exclude(still.life(), "test");
        world.runFor(1_900 * MILLI);
        assertThat(excluded).isNotDone();
        world.runFor(18 * SECOND);
        assertThat(excluded).isCompleted();
        still.stand(false);
        assertThat(still.members().mayAcknowledge()).isFalse();
        world.runFor(20 * SECOND);
        assertThat(still.members().mayAcknowledge()).as("the node serves again").isTrue();
        assertThat(still.members().mayAcknowledge(epoch))
                .as("a match from before the pause may not be acknowledged")
                .isFalse();
        assertThat(world.happened).containsKey("clients closed");
    }

    /** Nothing is written for a client that may be served elsewhere. */
    @Test
    void clientsOfANodeThatIsCutOffDoNotStay() {
        MemberWorld world = serving(1);
        Members members = world.node(0).members();
        BooleanSupplier before = members.clientsStay();
        world.node(0).cutFromStore(true);
        world.node(0).cutLinks(true);
        world.runFor(3 * SECOND);
        assertThat(before).as("this may be a short pause").returns(true, BooleanSupplier::getAsBoolean);
        world.runFor(7 * SECOND);
        assertThat(before).returns(false, BooleanSupplier::getAsBoolean);
        world.node(0).cutFromStore(false);
        world.node(0).cutLinks(false);
        world.runFor(3 * SECOND);
        assertThat(members.clientsStay()).returns(true, BooleanSupplier::getAsBoolean);
        assertThat(before).as("their connections are closed").returns(false, BooleanSupplier::getAsBoolean);
    }

    @Test
    void clientsOfANodeThatStoodStillDoNotStay() {
        MemberWorld world = serving(1);
        MemberNode still = world.node(0);
        BooleanSupplier before = still.members().clientsStay();
        still.stand(true);
        world.runFor(4 * SECOND);
        assertThat(before).returns(false, BooleanSupplier::getAsBoolean);
        still.stand(false);
        assertThat(before).as("it has no new proof").returns(false, BooleanSupplier::getAsBoolean);
        world.runFor(20 * SECOND);
        BooleanSupplier after = still.members().clientsStay();
        still.cutFromStore(true);
        world.runFor(3 * SECOND);
        assertThat(after).as("a standstill before its last proof").returns(true, BooleanSupplier::getAsBoolean);
    }

    @Test
    void aNodeThatCannotProveThatItServesTakesNoClientsUntilItCan() {
        MemberWorld world = serving(1);
        MemberNode node = world.node(0);
        assertThat(node.members().takesClients()).isTrue();
        node.cutFromStore(true);
        node.cutLinks(true);
        world.runFor(3 * SECOND);
        assertThat(node.members().takesClients())
                .as("the node still takes clients, because this may be a short pause")
                .isTrue();
        world.runFor(7 * SECOND);
        assertThat(node.members().takesClients()).isFalse();
        node.cutFromStore(false);
        node.cutLinks(false);
        world.runFor(SECOND);
        assertThat(node.members().takesClients()).isTrue();
    }
}
