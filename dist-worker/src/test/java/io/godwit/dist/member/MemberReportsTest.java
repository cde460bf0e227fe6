package io.godwit.dist.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemberReportsTest {
    private static final NodeLife SELF = new NodeLife("self", 1);
    private static final NodeLife A = new NodeLife("a", 1);
    private static final NodeLife LATER_A = new NodeLife("a", 2);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<BrokerEvent> events = new ArrayList<>();
    private final MemberReports reports = new MemberReports(events::add, meters);

    @Test
    void theFirstViewIsNoChange() {
        reports.view(
                view(4, new AgreedMember(SELF, MemberState.JOINING, 4), new AgreedMember(A, MemberState.SERVING, 2)),
                SELF);
        assertThat(events).isEmpty();
    }

    @Test
    void eachChangeOfAnotherMemberIsToldAndCountedOnce() {
        AgreedMember self = new AgreedMember(SELF, MemberState.SERVING, 1);
        reports.view(view(1, self), SELF);
        reports.view(view(2, self, new AgreedMember(A, MemberState.JOINING, 2)), SELF);
        assertThat(events).as("a member that only joins is not reported").isEmpty();
        reports.view(view(3, self, new AgreedMember(A, MemberState.SERVING, 3)), SELF);
        MembersView lapsed = view(4, self, new AgreedMember(A, MemberState.LAPSED, 4));
        reports.view(lapsed, SELF);
        reports.view(lapsed, SELF);
        reports.view(view(3, self, new AgreedMember(A, MemberState.SERVING, 3)), SELF); // told late
        reports.view(view(5, self, new AgreedMember(LATER_A, MemberState.JOINING, 5)), SELF);
        reports.view(view(6, self, new AgreedMember(LATER_A, MemberState.SERVING, 6)), SELF);
        reports.view(view(7, self), SELF);

        assertThat(events)
                .containsExactly(
                        new BrokerEvent.MemberServing("a", 1),
                        new BrokerEvent.MemberLapsed("a", 1),
                        new BrokerEvent.MemberEvicted("a", 1),
                        new BrokerEvent.MemberServing("a", 2),
                        new BrokerEvent.MemberLeft("a", 2));
        assertThat(count("others.serving")).isEqualTo(2);
        assertThat(count("others.lapsed")).isOne();
        assertThat(count("others.evicted")).isOne();
        assertThat(count("others.left")).isOne();
    }

    /** Other events report what happens to this node. */
    @Test
    void ofThisNodeAViewTellsNothing() {
        reports.view(view(1, new AgreedMember(SELF, MemberState.JOINING, 1)), SELF);
        reports.view(view(2, new AgreedMember(SELF, MemberState.SERVING, 2)), SELF);
        reports.view(view(3, new AgreedMember(SELF, MemberState.LAPSED, 3)), SELF);
        reports.view(view(4), SELF);
        assertThat(events).isEmpty();
        reports.lapsed(SELF);
        reports.servesAgain(SELF);
        reports.holds("no leader");
        reports.resumes();
        assertThat(events)
                .containsExactly(
                        new BrokerEvent.NodeLapsed("self", 1),
                        new BrokerEvent.NodeServingAgain("self", 1),
                        new BrokerEvent.AcknowledgementsHeld("no leader"),
                        new BrokerEvent.AcknowledgementsResumed());
        assertThat(count("lapsed")).isOne();
        assertThat(count("rejoined")).isOne();
        assertThat(count("acknowledgements.held")).isOne();
        assertThat(count("acknowledgements.resumed")).isOne();
    }

    @Test
    void itIsCountedWhenNobodyListens() {
        MemberReports unheard = new MemberReports(EventListener.NONE, meters);
        unheard.view(view(1, new AgreedMember(A, MemberState.SERVING, 1)), SELF);
        unheard.view(view(2, new AgreedMember(A, MemberState.LAPSED, 2)), SELF);
        assertThat(count("others.lapsed")).isOne();
    }

    private double count(String what) {
        return meters.get("godwit.members." + what).counter().count();
    }

    private static MembersView view(long revision, AgreedMember... members) {
        return new MembersView(revision, Arrays.asList(members));
    }
}
