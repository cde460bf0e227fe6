package io.godwit.dist.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HeartbeatsTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final NodeLife SELF = new NodeLife("self", 1);
    private static final NodeLife SILENT = new NodeLife("silent", 1);
    private static final NodeLife WITNESS = new NodeLife("witness", 1);
    private static final AgreedMember LAPSE = new AgreedMember(SILENT, MemberState.LAPSED, 8);
    private static final Set<AgreedMember> NOBODY = Set.of();

    private final Clock clock = new Clock();
    private final Heartbeats beats = new Heartbeats(SELF, clock);
    private long revision = 1;
    private long proofAgeNanos;

    private static final class Clock implements MemberThread {
        private long nowNanos = -7 * SECOND; // such a clock may begin below 0

        @Override
        public double random() {
            return 0;
        }

        @Override
        public void execute(Runnable task) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void later(long nanos, Runnable task) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void tell(Runnable task) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long nanoTime() {
            return nowNanos;
        }

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public void close() {}
    }

    private void pass(long nanos) {
        clock.nowNanos += nanos;
    }

    /** The view of this node, the silent member in that state, and the witness. */
    private void view(MemberState silent, long since) {
        revision++;
        look(new AgreedMember(SILENT, silent, since), new AgreedMember(WITNESS, MemberState.SERVING, 3));
    }

    private void look(AgreedMember... others) {
        List<AgreedMember> members = new ArrayList<>(List.of(new AgreedMember(SELF, MemberState.SERVING, 1)));
        members.addAll(List.of(others));
        beats.look(new MembersView(revision, members), proofAgeNanos);
    }

    private void hear(NodeLife by, Set<AgreedMember> givenUp) {
        beats.heard(by, new Heartbeat(5, 1_000 + clock.nowNanos, 0, true, givenUp));
    }

    /** {@code by} returns a heartbeat that this node sent then. */
    private void returned(NodeLife by, long sentNanos) {
        beats.heard(by, new Heartbeat(5, 1 + clock.nowNanos, sentNanos, true, NOBODY));
    }

    private Set<AgreedMember> givenUp() {
        return beats.next(WITNESS, 5).givenUp();
    }

    @Test
    void aLapsedMemberIsGivenUpTenSecondsAfterItsLastHeartbeat() {
        view(MemberState.SERVING, 2);
        hear(SILENT, NOBODY);
        pass(9 * SECOND);
        view(MemberState.LAPSED, 8);
        pass(SECOND - 1);
        assertThat(givenUp()).isEmpty();
        pass(1);
        assertThat(givenUp()).containsExactly(LAPSE);
    }

    @Test
    void aMemberThatHasNotLapsedIsNotGivenUp() {
        view(MemberState.SERVING, 2);
        hear(SILENT, NOBODY);
        pass(60 * SECOND);
        assertThat(givenUp()).isEmpty();
    }

    @Test
    void whoIsGivenUpIsReturnedNothingUntilItJoinsAgain() {
        view(MemberState.SERVING, 2);
        hear(SILENT, NOBODY);
        assertThat(beats.next(SILENT, 0).echoNanos()).isNotZero();
        view(MemberState.LAPSED, 8);
        pass(10 * SECOND);
        assertThat(beats.next(SILENT, 0).echoNanos()).isZero();
        hear(SILENT, NOBODY); // it was only slow
        assertThat(givenUp()).containsExactly(LAPSE);
        assertThat(beats.next(SILENT, 0).echoNanos()).isZero();
        view(MemberState.JOINING, 9);
        assertThat(givenUp()).isEmpty();
        assertThat(beats.next(SILENT, 0).echoNanos()).isEqualTo(1_000 + clock.nowNanos);
    }

    @Test
    void aMemberHasClosedItsClientsWhenAllOthersHaveGivenItUp() {
        view(MemberState.SERVING, 2);
        hear(SILENT, NOBODY);
        view(MemberState.LAPSED, 8);
        pass(10 * SECOND);
        assertThat(beats.isGivenUpByAll(LAPSE)).isFalse();
        hear(WITNESS, Set.of(new AgreedMember(SILENT, MemberState.LAPSED, 6))); // an earlier lapse
        assertThat(beats.isGivenUpByAll(LAPSE)).isFalse();
        hear(WITNESS, Set.of(LAPSE));
        assertThat(beats.isGivenUpByAll(LAPSE)).isTrue();
    }

    @Test
    void itHasNotWhenThisNodeStillHearsIt() {
        view(MemberState.SERVING, 2);
        hear(SILENT, NOBODY);
        view(MemberState.LAPSED, 8);
        pass(9 * SECOND);
        hear(SILENT, NOBODY);
        hear(WITNESS, Set.of(LAPSE));
        pass(9 * SECOND);
        assertThat(beats.isGivenUpByAll(LAPSE)).isFalse();
        pass(SECOND);
        assertThat(beats.isGivenUpByAll(LAPSE)).isTrue();
    }

    /** It keeps its clients for longer. */
    @Test
    void aMemberOfAnOlderBuildIsNotKnownToHaveClosedItsClients() {
        view(MemberState.SERVING, 2);
        beats.heard(SILENT, new Heartbeat(5, 3, 0, false, NOBODY));
        view(MemberState.LAPSED, 8);
        pass(60 * SECOND);
        hear(WITNESS, Set.of(LAPSE));
        assertThat(beats.isGivenUpByAll(LAPSE)).isFalse();
    }

    /** An earlier process of this node may have returned its heartbeats until a moment ago. */
    @Test
    void aMemberThatHasJustBegunCountsTheSilenceFromThen() {
        pass(60 * SECOND);
        view(MemberState.LAPSED, 8);
        pass(10 * SECOND - 1);
        assertThat(givenUp()).isEmpty();
        pass(1);
        assertThat(givenUp()).containsExactly(LAPSE);
    }

    /** Views may have been skipped in which it served. */
    @Test
    void aMemberThatJoinedMeanwhileIsSilentFromThenOn() {
        view(MemberState.SERVING, 2);
        hear(SILENT, NOBODY);
        view(MemberState.LAPSED, 4);
        pass(60 * SECOND);
        view(MemberState.JOINING, 5);
        pass(20 * SECOND);
        view(MemberState.LAPSED, 8);
        pass(10 * SECOND - 1);
        assertThat(givenUp()).isEmpty();
        pass(1);
        assertThat(givenUp()).containsExactly(LAPSE);
    }

    @Test
    void anotherLapseIsSilentFromThenOn() {
        view(MemberState.SERVING, 2);
        hear(SILENT, NOBODY);
        view(MemberState.LAPSED, 4);
        pass(60 * SECOND);
        view(MemberState.LAPSED, 8);
        assertThat(givenUp()).isEmpty();
    }

    /** Its replica has skipped views, so the member may have served meanwhile. */
    @Test
    void afterASkippedViewTheSilenceCountsFromThen() {
        view(MemberState.SERVING, 2);
        hear(SILENT, NOBODY);
        pass(60 * SECOND);
        revision++;
        view(MemberState.LAPSED, 8);
        pass(10 * SECOND - 1);
        assertThat(givenUp()).isEmpty();
        pass(1);
        assertThat(givenUp()).containsExactly(LAPSE);
    }

    @Test
    void anOlderViewIsIgnored() {
        view(MemberState.SERVING, 2);
        hear(SILENT, NOBODY);
        view(MemberState.LAPSED, 8);
        revision--;
        look(new AgreedMember(SILENT, MemberState.SERVING, 2), new AgreedMember(WITNESS, MemberState.SERVING, 3));
        pass(10 * SECOND);
        assertThat(givenUp()).containsExactly(LAPSE);
    }

    /** Whoever is gone may have returned heartbeats until then, and the silent member may not know that it is gone. */
    @Test
    void afterAMemberHasGoneOrComeNobodyIsTakenForClosedForAWhile() {
        AgreedMember witness = new AgreedMember(WITNESS, MemberState.SERVING, 3);
        AgreedMember third = new AgreedMember(new NodeLife("third", 1), MemberState.SERVING, 4);
        AgreedMember silent = new AgreedMember(SILENT, MemberState.SERVING, 2);
        revision++;
        look(silent, witness, third);
        hear(SILENT, NOBODY);
        revision++;
        look(LAPSE, witness, third);
        pass(9 * SECOND);
        revision++;
        look(LAPSE, witness); // the third is gone
        hear(WITNESS, Set.of(LAPSE));
        pass(10 * SECOND - 1);
        assertThat(givenUp()).containsExactly(LAPSE);
        assertThat(beats.isGivenUpByAll(LAPSE)).isFalse();
        pass(1);
        assertThat(beats.isGivenUpByAll(LAPSE)).isTrue();

        NodeLife next = new NodeLife("third", 2);
        revision++;
        look(LAPSE, witness, new AgreedMember(next, MemberState.JOINING, 12));
        hear(next, Set.of(LAPSE));
        pass(10 * SECOND - 1);
        assertThat(beats.isGivenUpByAll(LAPSE)).isFalse();
        pass(1);
        assertThat(beats.isGivenUpByAll(LAPSE)).isTrue();
    }

    @Test
    void clientsStayWhileSomeMemberReturnsHeartbeats() {
        view(MemberState.SERVING, 2);
        assertThat(beats.next(WITNESS, 5).closesUnreturned())
                .as("no member has reported its clock")
                .isFalse();
        for (int i = 0; i < 60; i++) {
            long sent = clock.nowNanos;
            pass(SECOND);
            returned(WITNESS, sent);
            assertThat(beats.areReturned()).isTrue();
        }
        assertThat(beats.next(WITNESS, 5).closesUnreturned()).isTrue();
    }

    /** However late it is returned: whoever gives this node up counts from its arrival there. */
    @Test
    void theTimeOfAHeartbeatIsThatOfItsSender() {
        view(MemberState.SERVING, 2);
        long sent = clock.nowNanos + 5 * SECOND;
        pass(12 * SECOND);
        returned(WITNESS, sent);
        assertThat(beats.areReturned()).isTrue();
        pass(SECOND);
        returned(WITNESS, sent); // nothing newer
        assertThat(beats.areReturned()).isFalse();
    }

    @Test
    void aLapsedMemberDoesNotCount() {
        view(MemberState.SERVING, 2);
        returned(WITNESS, clock.nowNanos);
        pass(20 * SECOND);
        returned(SILENT, clock.nowNanos);
        assertThat(beats.areReturned()).isTrue();
        view(MemberState.LAPSED, 8);
        assertThat(beats.areReturned()).isFalse();
    }

    /** It could return nothing before it was a member. Its own count may begin when it was made one, so before now. */
    @Test
    void aMemberThatComesHasTimeFromTheProofBefore() {
        view(MemberState.SERVING, 2);
        returned(WITNESS, clock.nowNanos);
        view(MemberState.LAPSED, 8);
        pass(60 * SECOND);
        assertThat(beats.areReturned()).isFalse();
        proofAgeNanos = 3 * SECOND;
        view(MemberState.JOINING, 9);
        pass(5 * SECOND - 1);
        assertThat(beats.areReturned()).isTrue();
        pass(1);
        assertThat(beats.areReturned()).isFalse();
    }

    @Test
    void withTheFirstOtherMemberClientsStay() {
        revision++;
        look();
        assertThat(beats.areReturned()).as("alone").isTrue();
        pass(60 * SECOND);
        revision++;
        look(new AgreedMember(WITNESS, MemberState.JOINING, 3));
        beats.heard(WITNESS, new Heartbeat(0, 7, 0, true, NOBODY));
        assertThat(beats.areReturned()).isTrue();
    }

    @Test
    void whoIsAloneKeepsItsClients() {
        view(MemberState.SERVING, 2);
        returned(WITNESS, clock.nowNanos);
        revision++;
        look(LAPSE);
        pass(60 * SECOND);
        assertThat(beats.areReturned()).isTrue();
    }

    @Test
    void aServingMemberThatStopsToReturnHeartbeatsIsSilent() {
        view(MemberState.SERVING, 2);
        pass(60 * SECOND);
        assertThat(beats.isSilent(WITNESS)).as("it may be of an older build").isFalse();
        returned(WITNESS, 7);
        pass(5 * SECOND - 1);
        assertThat(beats.isSilent(WITNESS)).isFalse();
        pass(1);
        assertThat(beats.isSilent(WITNESS)).isTrue();
        returned(SILENT, 7);
        view(MemberState.JOINING, 9);
        pass(60 * SECOND);
        assertThat(beats.isSilent(SILENT)).as("it only joins").isFalse();
    }

    /** By the others' clocks, which may have another origin. */
    @Test
    void aMemberAnswersWhenItReturnsSomethingNew() {
        view(MemberState.SERVING, 2);
        assertThat(beats.answers(WITNESS)).isFalse();
        returned(WITNESS, 7);
        assertThat(beats.answers(WITNESS)).isTrue();
        pass(2 * SECOND);
        returned(WITNESS, 7);
        assertThat(beats.answers(WITNESS)).isTrue();
        pass(SECOND);
        returned(WITNESS, 7);
        assertThat(beats.answers(WITNESS)).isFalse();
        returned(WITNESS, 8);
        assertThat(beats.answers(WITNESS)).isTrue();
        beats.heard(WITNESS, new Heartbeat(5, 0, 0, false, NOBODY)); // an older build
        assertThat(beats.answers(SILENT)).isFalse();
    }

    @Test
    void nothingIsReturnedToAStranger() {
        view(MemberState.SERVING, 2);
        NodeLife stranger = new NodeLife("stranger", 1);
        hear(stranger, NOBODY);
        assertThat(beats.next(stranger, 0).echoNanos()).isZero();
    }
}
