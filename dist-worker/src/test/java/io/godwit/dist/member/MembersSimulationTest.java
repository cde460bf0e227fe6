package io.godwit.dist.member;

import static io.godwit.dist.member.MemberWorld.MILLI;
import static io.godwit.dist.member.MemberWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.NodeWait;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Members under faults, see {@link MemberWorld}; {@code -Dmembers.seed=7} runs only one seed. */
@Tag("slow")
class MembersSimulationTest {
    @BeforeAll
    static void quiet() {
        ((Logger) LoggerFactory.getLogger("io.godwit.dist.member")).setLevel(Level.OFF);
    }

    @AfterAll
    static void loud() {
        ((Logger) LoggerFactory.getLogger("io.godwit.dist.member")).setLevel(null);
    }

    @Test
    void nothingIsAcknowledgedThatMissesAPromise() {
        Map<String, Integer> happened = new TreeMap<>();
        Long chosen = Long.getLong("members.seed");
        int count = chosen != null ? 1 : Integer.getInteger("members.seeds", 2);
        long first = chosen != null ? chosen : ThreadLocalRandom.current().nextInt(1_000_000);
        System.out.println("members: " + count + " seeds from " + first);
        for (long seed = first; seed < first + count; seed++) {
            run(seed).forEach((what, times) -> happened.merge(what, times, Integer::sum));
        }
        System.out.println("members: " + happened);
        if (chosen == null) {
            assertThat(happened)
                    .containsKeys("acknowledged", "held and acknowledged", "refused", "excluded", "promised");
        }
    }

    private static Map<String, Integer> run(long seed) {
        MemberWorld world = new MemberWorld(seed);
        for (int i = 0; i < 60; i++) {
            disturb(world);
            world.runFor((long) (world.random.nextDouble() * 4 * SECOND));
        }
        world.isCalm = true;
        world.setMajority(true);
        world.forAll(node -> {
            heal(node);
            if (!node.isUp()) {
                world.start(node.life().nodeId(), node.life().incarnation() + 1);
            }
        });
        world.runFor(60 * SECOND);
        world.forAll(node -> {
            if (node.isUp() && !node.members().mayAcknowledge()) { // a node that was leaving is gone
                world.violate(
                        node.life() + " does not come back: " + node.members().lack());
            }
        });
        world.runFor(SECOND);
        return world.happened;
    }

    private static void heal(MemberNode node) {
        node.cutFromStore(false);
        node.cutLinks(false);
        node.stand(false);
    }

    private static void disturb(MemberWorld world) {
        MemberNode node = world.node(world.random.nextInt(4));
        switch (world.random.nextInt(12)) {
            case 0, 1 -> node.cutFromStore(true);
            case 2 -> node.cutLinks(true);
            case 3 -> {
                node.cutLinks(true); // so it does not hear of its exclusion
                world.after((long) (world.random.nextDouble() * 3 * SECOND), () -> node.cutFromStore(!world.isCalm));
            }
            case 4, 5 -> node.stand(true);
            case 6 -> {
                node.kill();
                world.count("killed");
                if (world.random.nextBoolean()) {
                    world.after(
                            (long) (world.random.nextDouble() * SECOND),
                            () -> world.forAll(other -> other.members().ended(node.life())));
                }
            }
            case 7 -> world.setMajority(false);
            case 8 -> {
                if (node.isUp() && !node.isStanding()) {
                    node.members().leave().whenComplete((done, failure) -> {
                        world.count("left");
                        node.kill();
                    });
                }
            }
            default -> {
                world.setMajority(true);
                world.forAll(each -> {
                    if (each.isUp()) {
                        heal(each);
                    } else {
                        world.start(each.life().nodeId(), each.life().incarnation() + 1);
                    }
                });
            }
        }
    }

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
            members.answered(other);
            CompletableFuture<Void> slow = members.excludeSilent(other, "test");
            world.runFor(500 * MILLI);
            assertThat(slow).as("after %d", i).isCompletedExceptionally();
        }
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
        Member before = world.newest().find(other);
        assertThat(before).isNotNull();
        long asks = 0;
        for (; asks < 40 && before.equals(world.newest().find(other)); asks++) { // it joins again soon
            members.answered(other);
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

    @Test
    void aNodeThatJoinsAgainDoesNotExcludeThoseWhoWentOnWithoutIt() {
        for (long seed = 1; seed <= 20; seed++) {
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

    /** As when the membership does not see the node yet: while it joins, SUBACKs of the others wait for it. */
    @Test
    void aNodeThatIsBackDoesNotJoinBeforeItIsLinkedButWaitsNotForLong() {
        MemberWorld world = serving(1);
        MemberNode back = world.node(3);
        back.cutLinks(true);
        CompletableFuture<Void> excluded = world.node(0).members().exclude(back.life(), "test");
        world.runFor(4 * SECOND);
        assertThat(excluded).isCompleted();
        assertThat(world.newest().is(back.life(), MemberState.JOINING)).isFalse();
        assertThat(back.members().takesClients()).isFalse();
        back.cutLinks(false);
        world.runFor(SECOND);
        assertThat(world.newest().serving()).contains(back.life());
        assertThat(back.members().takesClients()).isTrue();

        back.cutLinks(true);
        world.node(0).members().exclude(back.life(), "test");
        long waited = 0; // then it joins, and subscribers of the others may exclude it at once
        while (!world.newest().is(back.life(), MemberState.JOINING) && waited < 2 * Joining.LINK_NANOS) {
            world.runFor(10 * MILLI);
            waited += 10 * MILLI;
        }
        assertThat(waited).isBetween(Joining.LINK_NANOS - SECOND, Joining.LINK_NANOS + 2 * SECOND);
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

    /** If it joined early, each SUBACK of a stored session would wait until it is excluded again. */
    @Test
    void aNodeWhoseReplicaIsBehindDoesNotJoinBeforeItHasCaughtUp() {
        for (long seed = 1; seed <= 5; seed++) {
            MemberWorld world = serving(seed);
            MemberNode behind = world.node(2);
            behind.fallBehind(true);
            CompletableFuture<Void> excluded = world.node(0).members().exclude(behind.life(), "has not confirmed");
            world.runFor(30 * SECOND);
            assertThat(excluded).isCompleted();
            assertThat(world.newest().find(behind.life()))
                    .as("the node was evicted and has not come back")
                    .isNull();
            assertThat(behind.members().lack()).startsWith("its routes are not complete");
            long revision = world.newest().revision();
            world.runFor(120 * SECOND);
            assertThat(world.newest().revision()).as("seed %d", seed).isEqualTo(revision);

            behind.fallBehind(false);
            world.runFor(10 * SECOND);
            assertThat(world.newest().serving()).hasSize(4);
            assertThat(behind.members().mayAcknowledge()).isTrue();
        }
    }

    @Test
    void theFirstNodeWritesTheFirstRevisionAndAllServeInTheEnd() {
        MemberWorld world = serving(5);
        assertThat(world.view(1).members()).hasSize(1).allMatch(member -> member.state() == MemberState.JOINING);
        assertThat(world.newest().serving()).hasSize(4);
        assertThat(world.newest().revision())
                .as("one revision for each join, and one for each node that begins to serve")
                .isEqualTo(8);
        MemberNode leaving = world.node(2);
        CompletableFuture<Void> left = leaving.members().leave();
        world.runFor(SECOND);
        assertThat(left).isCompleted();
        assertThat(leaving.members().mayAcknowledge()).isFalse();
        assertThat(world.newest().find(leaving.life())).isNull();
    }

    @Test
    void membersThatLapseAndComeBackAreToldOncePerChange() {
        for (long seed = 1; seed <= 10; seed++) {
            MemberWorld world = serving(seed);
            MemberNode back = world.node(3);
            MemberNode other = world.node(1);
            NodeLife life = back.life();
            world.forAll(node -> node.events().clear());
            back.cutFromStore(true);
            world.node(0).members().exclude(life, "test");
            world.runFor(5 * SECOND);
            back.cutFromStore(false);
            world.runFor(30 * SECOND);
            assertThat(world.newest().serving()).as("seed %d", seed).contains(life);

            assertThat(membersToldAt(other))
                    .as("seed %d", seed)
                    .containsExactly(
                            new BrokerEvent.MemberLapsed(life.nodeId(), life.incarnation()),
                            new BrokerEvent.MemberServing(life.nodeId(), life.incarnation()));
            assertThat(back.events())
                    .as("seed %d", seed)
                    .filteredOn(event -> !(event instanceof BrokerEvent.WaitRanOut))
                    .extracting(event -> event.getClass().getSimpleName())
                    .containsExactly(
                            "AcknowledgementsHeld", "NodeLapsed", "NodeServingAgain", "AcknowledgementsResumed");
        }
    }

    @Test
    void aMemberThatDiesAndOneThatLeavesAreTold() {
        MemberWorld world = serving(1);
        NodeLife dead = world.node(3).life();
        NodeLife left = world.node(2).life();
        MemberNode other = world.node(1);
        other.events().clear();
        world.node(2)
                .members()
                .leave()
                .whenComplete((done, failure) -> world.node(2).kill());
        world.runFor(SECOND);
        world.node(3).kill();
        world.node(0).members().exclude(dead, "test");
        world.runFor(30 * SECOND);

        assertThat(membersToldAt(other))
                .containsExactly(
                        new BrokerEvent.MemberLeft(left.nodeId(), left.incarnation()),
                        new BrokerEvent.MemberLapsed(dead.nodeId(), dead.incarnation()),
                        new BrokerEvent.MemberEvicted(dead.nodeId(), dead.incarnation()));
    }

    @Test
    void aNodeWithoutAProofTellsOnceThatItHoldsAndOnceThatItGoesOn() {
        MemberWorld world = serving(1);
        MemberNode node = world.node(0);
        node.events().clear();
        world.setMajority(false);
        world.runFor(6 * SECOND);
        assertThat(node.events())
                .singleElement()
                .isInstanceOfSatisfying(
                        BrokerEvent.AcknowledgementsHeld.class,
                        held -> assertThat(held.cause()).isNotEmpty());
        world.setMajority(true);
        world.runFor(6 * SECOND);
        assertThat(node.events()).hasSize(2).last().isEqualTo(new BrokerEvent.AcknowledgementsResumed());
    }

    /** Events about the other members, in order. */
    private static List<BrokerEvent> membersToldAt(MemberNode node) {
        return node.events().stream()
                .filter(event -> event.getClass().getSimpleName().startsWith("Member"))
                .toList();
    }

    private static MemberWorld serving(long seed) {
        return serving(new MemberWorld(seed));
    }

    private static MemberWorld serving(MemberWorld world) {
        world.isCalm = true;
        world.runFor(15 * SECOND);
        assertThat(world.newest().serving()).as("seed %d", world.seed).hasSize(4);
        return world;
    }
}
