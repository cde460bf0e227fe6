package io.godwit.dist.member.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Whether messages that an incarnation has sent since it began to serve still count. */
class MembersViewTest {
    private static final NodeLife LIFE = new NodeLife("a", 1);
    private static final long SINCE = 5;

    private static MembersView view(long revision, MemberState state, long since) {
        return new MembersView(revision, List.of(new AgreedMember(LIFE, state, since)));
    }

    @Test
    void aLifeThatServesAsItDidIsNotPast() {
        assertThat(view(5, MemberState.SERVING, SINCE).isPast(LIFE, SINCE)).isFalse();
        assertThat(view(9, MemberState.SERVING, SINCE).isPast(LIFE, SINCE)).isFalse();
    }

    @Test
    void aLifeThatLapsedLeftOrServesAnewIsPast() {
        assertThat(view(9, MemberState.LAPSED, 9).isPast(LIFE, SINCE)).isTrue();
        assertThat(view(10, MemberState.JOINING, 10).isPast(LIFE, SINCE)).isTrue();
        assertThat(view(11, MemberState.SERVING, 11).isPast(LIFE, SINCE)).isTrue();
        assertThat(new MembersView(9, List.of()).isPast(LIFE, SINCE)).isTrue();
        assertThat(view(9, MemberState.SERVING, SINCE).isPast(new NodeLife("a", 2), SINCE))
                .isTrue();
    }

    @Test
    void theExcludedMembersAreTheLapsedOnesOfOthers() {
        NodeLife other = new NodeLife("b", 1);
        NodeLife serving = new NodeLife("c", 1);
        MembersView view = new MembersView(
                9,
                List.of(
                        new AgreedMember(LIFE, MemberState.LAPSED, 8),
                        new AgreedMember(other, MemberState.LAPSED, 9),
                        new AgreedMember(serving, MemberState.SERVING, SINCE)));
        assertThat(view.lapsedExcept(LIFE)).containsExactly(other);
        assertThat(view.lapsedExcept(serving)).containsExactly(LIFE, other);
    }

    /** An older view does not know that the incarnation serves, so it cannot say that it was excluded. */
    @Test
    void aViewOfBeforeSaysNothing() {
        assertThat(MembersView.NONE.isPast(LIFE, SINCE)).isFalse();
        assertThat(view(4, MemberState.JOINING, 4).isPast(LIFE, SINCE)).isFalse();
        assertThat(new MembersView(4, List.of()).isPast(LIFE, SINCE)).isFalse();
    }
}
