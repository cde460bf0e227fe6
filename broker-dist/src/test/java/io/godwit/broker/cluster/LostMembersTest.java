package io.godwit.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.member.Departure;
import io.godwit.cluster.member.Member;
import io.godwit.cluster.testing.MemoryLinks;
import io.godwit.dist.member.Members;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.kv.client.RangeException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LostMembersTest {
    private static final NodeLife FIRST = new NodeLife("other", 1);
    private static final HostPort RPC = new HostPort("other.example", 4_000);
    private static final NodeLife SECOND = new NodeLife("other", 2);

    private final MemoryLinks.Net net = new MemoryLinks.Net();
    private final MemoryLinks links = net.node("self", 1);
    private final ManualTimer timer = new ManualTimer();
    private final Agreement agreement = new Agreement();
    private final LostMembers lost = new LostMembers(agreement, links, timer, () -> 1);

    LostMembersTest() {
        net.join(links);
        net.join(net.node("other", 1));
    }

    /** The members; the test completes their agreement. */
    private static final class Agreement implements LostMembers.Parts, Members {
        final List<NodeLife> asked = new ArrayList<>();
        final Queue<CompletableFuture<Void>> open = new ArrayDeque<>();
        final List<NodeLife> excluded = new ArrayList<>();
        final List<NodeLife> ended = new ArrayList<>();
        final Set<NodeLife> back = new HashSet<>();
        final Set<NodeLife> view = new HashSet<>(Set.of(FIRST));
        /** Whether messages of the other member arrive over the link. */
        boolean isHeard;
        /** Members that return nothing. */
        final Set<NodeLife> silent = new HashSet<>();
        /** Whether nobody listens at the other member's address any more. */
        boolean isOver;

        void agree() {
            open.remove().complete(null);
        }

        void refuse() {
            open.remove().completeExceptionally(new RangeException(RangeException.Cause.TIMEOUT, "no majority"));
        }

        @Override
        public CompletableFuture<Void> exclude(NodeLife member, String why) {
            CompletableFuture<Void> agreed = new CompletableFuture<>();
            asked.add(member);
            open.add(agreed);
            return agreed;
        }

        @Override
        public Members members() {
            return this;
        }

        @Override
        public boolean isKnown(NodeLife life) {
            return view.contains(life);
        }

        @Override
        public boolean isBack(NodeLife life) {
            return back.contains(life);
        }

        @Override
        public boolean isHeard(NodeLife life) {
            return isHeard;
        }

        @Override
        public boolean isSilent(NodeLife life) {
            return silent.contains(life);
        }

        @Override
        public void ended(NodeLife life) {
            ended.add(life);
        }

        @Override
        public void excluded(NodeLife life) {
            excluded.add(life);
        }

        @Override
        public boolean isOver(HostPort rpc) {
            assertThat(rpc).isEqualTo(RPC);
            return isOver;
        }

        @Override
        public void runBlocking(Runnable task) {
            task.run();
        }

        @Override
        public Set<NodeLife> others() {
            return Set.copyOf(view);
        }

        @Override
        public boolean mayAcknowledge() {
            return true;
        }

        @Override
        public CompletableFuture<Boolean> untilMayAcknowledge() {
            return CompletableFuture.completedFuture(true);
        }
    }

    private Member member(NodeLife life) {
        return new Member(life.nodeId(), life.incarnation(), RPC, "1", "test", Map.of());
    }

    private void crashed(NodeLife life) {
        lost.gone(member(life), Departure.CRASHED);
    }

    /** Restarts the other node, which is linked again. */
    private void returns(NodeLife as) {
        net.kill("other");
        net.join(net.node("other", as.incarnation()));
        agreement.view.add(as);
        lost.joined(member(as));
    }

    private @Nullable Peer peer() {
        return links.peer("other");
    }

    /** A node that hears from nobody may have claimed that all others are gone. */
    @Test
    void aMemberThatIsStillHeardIsNotExcluded() {
        agreement.isHeard = true;
        crashed(FIRST);
        assertThat(agreement.asked).isEmpty();
        agreement.isHeard = false;
        timer.advance(4_000);
        assertThat(agreement.asked).contains(FIRST);
    }

    /** Its link breaks once more after a cut, and is there again at once. */
    @Test
    void aMemberThatIsUnheardForAMomentIsNotExcluded() {
        agreement.isHeard = true;
        crashed(FIRST);
        for (int i = 0; i < 5; i++) {
            timer.advance(1_000);
            agreement.isHeard = false;
            timer.advance(1_500);
            agreement.isHeard = true;
            timer.advance(500);
        }
        assertThat(agreement.asked).isEmpty();
    }

    @Test
    void aMemberThatWasHeardIsExcludedAtOnceWhenItsProcessIsOver() {
        agreement.isHeard = true;
        crashed(FIRST);
        agreement.isHeard = false;
        agreement.isOver = true;
        timer.advance(1_000);
        assertThat(agreement.ended).containsExactly(FIRST);
        assertThat(agreement.asked).containsExactly(FIRST);
    }

    /** It is cut off itself: the others go on, and it must not exclude one of them when the cut is over. */
    @Test
    void aNodeThatHasLostMostMembersWaits() {
        NodeLife third = new NodeLife("third", 1);
        NodeLife fourth = new NodeLife("fourth", 1);
        agreement.view.add(third);
        agreement.view.add(fourth);
        crashed(FIRST);
        assertThat(agreement.asked).as("one of three").containsExactly(FIRST);
        agreement.refuse();
        crashed(third);
        timer.advance(10_000);
        assertThat(agreement.asked).as("two of three").containsExactly(FIRST);
        lost.joined(member(third));
        timer.advance(1_000);
        assertThat(agreement.asked).as("one of three again").containsExactly(FIRST, FIRST);
        agreement.refuse();
        crashed(third);
        timer.advance(20_000);
        assertThat(agreement.asked).as("two of three for long").contains(third);
    }

    /** The membership reports losses one after the other, in time or of one view. */
    @Test
    void aNodeThatGetsAnswersFromFewWaitsBeforeItExcludesTheFirst() {
        for (int i = 0; i < 3; i++) {
            NodeLife next = new NodeLife("next-" + i, 1);
            agreement.view.add(next);
            agreement.silent.add(next);
        }
        crashed(FIRST);
        timer.advance(8_000);
        assertThat(agreement.asked).isEmpty();
        agreement.silent.remove(new NodeLife("next-0", 1));
        timer.advance(1_000);
        assertThat(agreement.asked).as("three of four").isEmpty();
        agreement.silent.remove(new NodeLife("next-1", 1));
        timer.advance(1_000);
        assertThat(agreement.asked).as("two of four").containsExactly(FIRST);
    }

    @Test
    void aNodeWithoutAnswersExcludesAtOnceWhoseProcessIsOver() {
        agreement.view.add(new NodeLife("next", 1));
        agreement.silent.addAll(agreement.view);
        agreement.isOver = true;
        crashed(FIRST);
        timer.advance(1_000);
        assertThat(agreement.asked).containsExactly(FIRST);
    }

    @Test
    void aMemberThatLeavesInOrderIsNotExcluded() {
        lost.gone(member(FIRST), Departure.LEFT);
        timer.advance(60_000);
        assertThat(agreement.asked).isEmpty();
        assertThat(agreement.ended).isEmpty();
        assertThat(peer()).isNotNull();
    }

    /** Publishes that wait for the lost member's confirmation are answered when its link ends. */
    @Test
    void theLinkEndsOnceTheOthersHaveAgreedAndNotBefore() {
        crashed(FIRST);
        assertThat(agreement.asked).containsExactly(FIRST);
        timer.advance(60_000);
        assertThat(peer()).isNotNull();
        assertThat(agreement.excluded).isEmpty();
        agreement.agree();
        assertThat(agreement.excluded).containsExactly(FIRST);
        assertThat(peer()).isNull();
        assertThat(agreement.asked).as("only one request is sent").containsExactly(FIRST);
    }

    @Test
    void withoutAMajorityTheMembersAreAskedAgainForAsLongAsItStaysLost() {
        crashed(FIRST);
        agreement.refuse();
        assertThat(agreement.asked).hasSize(1);
        timer.advance(1_000);
        assertThat(agreement.asked).containsExactly(FIRST, FIRST);
        agreement.refuse();
        assertThat(peer()).isNotNull();
        lost.joined(member(FIRST));
        timer.advance(60_000);
        assertThat(agreement.asked)
                .as("no request while the member is present again")
                .hasSize(2);
        assertThat(agreement.excluded).isEmpty();
        assertThat(peer()).isNotNull();
    }

    @Test
    void aMemberThatHasReturnedBeforeTheAgreementKeepsItsLink() {
        crashed(FIRST);
        lost.joined(member(FIRST));
        agreement.agree();
        assertThat(agreement.excluded).as("an agreed exclusion stays").containsExactly(FIRST);
        assertThat(peer()).isNotNull();
    }

    /** It has rejoined at once, and the membership does not show it yet. Ending its link would exclude it again. */
    @Test
    void whoHasJoinedAnewWhenItsLapseIsOverKeepsItsLinkUntilItsProcessIsOver() {
        crashed(FIRST);
        agreement.back.add(FIRST);
        agreement.agree();
        assertThat(peer()).isNotNull();
        agreement.isOver = true;
        timer.advance(600);
        assertThat(agreement.ended).containsExactly(FIRST);
        assertThat(peer()).isNull();
    }

    @Test
    void theNextLifeOfALostNodeKeepsItsLinkWhateverBecomesOfTheOneBefore() {
        crashed(FIRST);
        returns(SECOND);
        agreement.agree();
        assertThat(peer())
                .isNotNull()
                .satisfies(next -> assertThat(next.incarnation()).isEqualTo(2));
        timer.advance(60_000);
        assertThat(agreement.asked).containsExactly(FIRST);
    }

    /** Links may know of the next life before the membership does. */
    @Test
    void aLinkToTheNextLifeIsNotTakenForOneToTheLost() {
        crashed(FIRST);
        net.kill("other");
        net.join(net.node("other", SECOND.incarnation()));
        agreement.agree();
        assertThat(peer()).isNotNull();
    }

    /** The membership may report the second loss while the members still agree about the first. */
    @Test
    void whenTheNextLifeIsLostTooThatOneIsExcluded() {
        crashed(FIRST);
        agreement.refuse();
        returns(SECOND);
        crashed(SECOND);
        assertThat(agreement.asked).containsExactly(FIRST, SECOND);
        timer.advance(60_000);
        assertThat(agreement.asked).as("no second request for the first life").containsExactly(FIRST, SECOND);
        agreement.agree();
        assertThat(agreement.excluded).containsExactly(SECOND);
        assertThat(peer()).isNull();
    }

    @Test
    void aLateAgreementOnTheFirstLifeDoesNotEndTheLinkOfTheSecondThatIsLost() {
        crashed(FIRST);
        returns(SECOND);
        crashed(SECOND);
        agreement.agree();
        assertThat(agreement.excluded).containsExactly(FIRST);
        assertThat(peer()).isNotNull();
        agreement.agree();
        assertThat(peer()).isNull();
    }

    @Test
    void aProcessThatNobodyListensForAnyMoreIsOverAtTheSecondRefusal() {
        agreement.isOver = true;
        crashed(FIRST);
        assertThat(agreement.ended)
                .as("one refusal is not enough: a starting process refuses for a moment")
                .isEmpty();
        timer.advance(300);
        assertThat(agreement.ended).containsExactly(FIRST);
        assertThat(peer()).as("the link to an ended process is closed").isNull();
        timer.advance(60_000);
        assertThat(agreement.ended).containsExactly(FIRST);
    }

    @Test
    void aProcessThatListensIsNotOverAndLookedAtUntilItIs() {
        crashed(FIRST);
        timer.advance(10_000);
        assertThat(agreement.ended).isEmpty();
        agreement.isOver = true;
        timer.advance(300);
        assertThat(agreement.ended).isEmpty();
        timer.advance(300);
        assertThat(agreement.ended).containsExactly(FIRST);
    }

    @Test
    void twoRefusalsWithAnAnswerBetweenThemSayNothing() {
        agreement.isOver = true;
        crashed(FIRST);
        agreement.isOver = false;
        timer.advance(300);
        agreement.isOver = true;
        timer.advance(300);
        assertThat(agreement.ended).isEmpty();
    }

    @Test
    void evictedAndReturnedMembersAreNotProbed() {
        crashed(FIRST);
        agreement.agree();
        agreement.view.remove(FIRST);
        agreement.isOver = true;
        timer.advance(60_000);
        assertThat(agreement.ended).isEmpty();
        assertThat(timer.waiting()).isZero();

        returns(SECOND);
        crashed(SECOND);
        lost.joined(member(SECOND));
        timer.advance(60_000);
        assertThat(agreement.ended).isEmpty();
    }
}
