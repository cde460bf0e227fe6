package io.godwit.dist.member;

import static io.godwit.dist.member.MemberWorld.MILLI;
import static io.godwit.dist.member.MemberWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.NodeLife;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who may exclude whom, and when an exclusion is complete. */
@Tag("slow")
class MemberExclusionTest extends MembersFixture {
    @Test
    void whoHadNoProofCallsNobodySilentUntilItsProofIsBackForAWhile() {
        for (long seed = 1; seed <= 10; seed++) {
            MemberWorld world = serving(seed);
            ClusterMembers members = world.node(0).members();
            NodeLife other = world.node(1).life();
            world.setMajority(false); // for all nodes, as when the leader of the dist store stands still
            world.runFor(4 * SECOND);
            CompletableFuture<Void> without = members.exclude(other, "test");
            world.runFor(100 * MILLI);
            world.setMajority(true);
            world.runFor(2 * SECOND);
            assertThat(members.mayAcknowledge()).isTrue();
            CompletableFuture<Void> soon = members.exclude(other, "test");
            world.runFor(3 * SECOND);
            assertThat(without).as("seed %d", seed).isCompletedExceptionally();
            assertThat(soon).as("seed %d", seed).isCompletedExceptionally();
            assertThat(world.newest().serving()).as("seed %d", seed).hasSize(4);

            world.runFor(SECOND);
            CompletableFuture<Void> later = members.exclude(other, "test");
            world.runFor(3 * SECOND);
            assertThat(later).as("seed %d", seed).isCompleted().isNotCompletedExceptionally();
        }
    }

    /** Behind a slow link confirmations come late, and the slow node may be either end. */
    @Test
    void whoAnswersIsNotExcludedForAWhile() {
        MemberWorld world = serving(1);
        ClusterMembers members = world.node(0).members();
        NodeLife other = world.node(1).life();
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Void> slow = members.excludeSilent(other, "test");
            world.runFor(500 * MILLI);
            assertThat(slow).as("after %d", i).isCompletedExceptionally();
        }
        world.node(1).cutLinks(true);
        world.runFor(3 * SECOND); // it no longer answers
        CompletableFuture<Void> silent = members.excludeSilent(other, "test");
        world.runFor(3 * SECOND);
        assertThat(silent).isCompleted().isNotCompletedExceptionally();
    }

    /** It may be stuck except for its answers: the others exclude it in the end. */
    @Test
    void whoAnswersIsExcludedWhenItOwesForTooLong() {
        MemberWorld world = serving(2);
        ClusterMembers members = world.node(0).members();
        NodeLife other = world.node(1).life();
        AgreedMember before = world.newest().find(other);
        assertThat(before).isNotNull();
        long asks = 0;
        for (; asks < 40 && before.equals(world.newest().find(other)); asks++) { // it joins again soon
            members.excludeSilent(other, "test");
            world.runFor(500 * MILLI);
        }
        assertThat(asks * 500 * MILLI).isBetween(Exclusions.SLOW_NANOS, Exclusions.SLOW_NANOS + SECOND);
    }

    @Test
    void whatTheMembershipHasLostIsExcludedByWhoHadNoProof() {
        MemberWorld world = serving(1);
        world.node(1).kill();
        world.setMajority(false);
        world.runFor(4 * SECOND);
        world.setMajority(true);
        world.runFor(SECOND);
        CompletableFuture<Void> lost =
                world.node(0).members().excludeLost(world.node(1).life(), "test");
        world.runFor(3 * SECOND);
        assertThat(lost).isCompleted().isNotCompletedExceptionally();
    }

    @Test
    void ofTwoThatExcludeEachOtherOneWins() {
        for (long seed = 1; seed <= 10; seed++) {
            MemberWorld world = serving(seed);
            NodeLife one = world.node(0).life();
            NodeLife other = world.node(1).life();
            CompletableFuture<Void> first = world.node(0).members().exclude(other, "test");
            CompletableFuture<Void> second = world.node(1).members().exclude(one, "test");
            world.runFor(6 * SECOND);
            assertThat(first.isCompletedExceptionally() ^ second.isCompletedExceptionally())
                    .as("seed %d", seed)
                    .isTrue();
            assertThat(first.isDone() && second.isDone()).isTrue();
            world.runFor(30 * SECOND);
            assertThat(world.newest().serving())
                    .as("seed %d: both serve again", seed)
                    .contains(one, other);
        }
    }

    @Test
    void anExclusionCompletesWhenTheOtherCannotAcknowledgeAnyMore() {
        for (long seed = 1; seed <= 40; seed++) {
            MemberWorld world = serving(seed);
            MemberNode cut = world.node(3);
            world.runFor((long) (world.random.nextDouble() * SECOND));
            cut.cutFromStore(true);
            CompletableFuture<Void> excluded = world.node(0).members().exclude(cut.life(), "test");
            excluded.thenRun(() -> world.excluded(cut.life()));
            world.runFor(500 * MILLI);
            assertThat(cut.members().mayAcknowledge())
                    .as("the node does not know of its exclusion yet")
                    .isTrue();
            world.runFor(3 * SECOND);
            assertThat(excluded).isCompleted();
            assertThat(cut.members().lack()).isNotEmpty();
        }
    }

    @Test
    void nobodyWaitsForAMemberWhoseProcessIsOver() {
        for (long seed = 1; seed <= 20; seed++) {
            MemberWorld world = serving(seed);
            MemberNode dead = world.node(3);
            dead.kill();
            CompletableFuture<Void> excluded = world.node(0).members().exclude(dead.life(), "test");
            world.runFor(300 * MILLI);
            assertThat(excluded).isNotDone();
            assertThat(world.node(0).members().others()).contains(dead.life());
            world.forAll(node -> node.members().ended(dead.life()));
            world.runFor(300 * MILLI);
            assertThat(excluded).isCompleted();
            assertThat(world.newest().find(dead.life())).as("seed %d", seed).isNull();
            assertThat(world.node(1).members().others()).doesNotContain(dead.life());
        }
    }

    @Test
    void aNodeThatJoinsAgainDoesNotExcludeThoseWhoWentOnWithoutIt() {
        joinAgain(1, 6);
    }

    @Test
    @Tag("long")
    void aNodeThatJoinsAgainDoesNotExcludeThoseWhoWentOnWithoutItFromMoreSeeds() {
        joinAgain(7, 20);
    }

    private static void joinAgain(long firstSeed, long lastSeed) {
        for (long seed = firstSeed; seed <= lastSeed; seed++) {
            MemberWorld world = serving(seed);
            MemberNode back = world.node(3);
            NodeLife other = world.node(1).life();
            back.cutLinks(true); // so that it takes long to join
            CompletableFuture<Void> excluded = world.node(0).members().exclude(back.life(), "test");
            while (!world.newest().is(back.life(), MemberState.JOINING)) {
                world.runFor(10 * MILLI);
            }
            CompletableFuture<Void> attempt = back.members().exclude(other, "test");
            world.runFor(SECOND);
            assertThat(attempt).as("seed %d", seed).isCompletedExceptionally();
            assertThat(world.newest().serving()).as("seed %d", seed).contains(other);
            back.cutLinks(false);
            world.runFor(40 * SECOND);
            assertThat(excluded).isCompleted();
            assertThat(world.newest().serving()).as("seed %d", seed).contains(other, back.life());
        }
    }
}
