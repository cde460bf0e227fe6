package io.godwit.dist.member.view;

import static io.godwit.dist.member.view.MemberState.JOINING;
import static io.godwit.dist.member.view.MemberState.LAPSED;
import static io.godwit.dist.member.view.MemberState.SERVING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.dist.member.view.MemberStep.Changed;
import io.godwit.dist.member.view.MemberStep.Evict;
import io.godwit.dist.member.view.MemberStep.Join;
import io.godwit.dist.member.view.MemberStep.Lapse;
import io.godwit.dist.member.view.MemberStep.Leave;
import io.godwit.dist.member.view.MemberStep.Refused;
import io.godwit.dist.member.view.MemberStep.Serve;
import io.godwit.dist.member.view.MemberStep.Unchanged;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which changes of the view are legal, and the stored format. */
class MemberStepTest {
    private static final NodeLife A = new NodeLife("a", 1);
    private static final NodeLife A2 = new NodeLife("a", 2);
    private static final NodeLife B = new NodeLife("b", 7);
    private static final AgreedMember A_SERVES = new AgreedMember(A, SERVING, 2);
    private static final AgreedMember A_LAPSED = new AgreedMember(A, LAPSED, 5);
    private static final AgreedMember B_JOINS = new AgreedMember(B, JOINING, 3);

    @Test
    void theFirstLifeBringsTheFirstRevision() {
        assertThat(after(new Join(A, true, Set.of()), MembersView.NONE))
                .isEqualTo(view(1, new AgreedMember(A, JOINING, 1)));
    }

    @Test
    void aLifeJoinsServesLapsesAndJoinsAgain() {
        MembersView joined = after(new Join(B, true, Set.of()), view(2, A_SERVES));
        assertThat(joined).isEqualTo(view(3, A_SERVES, B_JOINS));
        MembersView served = after(new Serve(B), joined);
        assertThat(served).isEqualTo(view(4, A_SERVES, new AgreedMember(B, SERVING, 4)));
        MembersView lapsed = after(new Lapse(A, A_SERVES, B), served);
        assertThat(lapsed).isEqualTo(view(5, A_SERVES, new AgreedMember(B, LAPSED, 5)));
        assertThat(new Serve(B).of(lapsed)).isInstanceOf(Refused.class);
        assertThat(after(new Join(B, false, Set.of()), lapsed))
                .isEqualTo(view(6, A_SERVES, new AgreedMember(B, JOINING, 6)));
    }

    @Test
    void aLapsedMemberCannotLapseAnother() {
        MembersView view = view(5, A_LAPSED, new AgreedMember(B, SERVING, 4));
        assertThat(new Lapse(A, A_SERVES, B).of(view)).isInstanceOf(Refused.class);
        assertThat(new Lapse(A, A_LAPSED, B).of(view)).isInstanceOf(Refused.class);
        assertThat(new Lapse(A, null, B).of(view)).isInstanceOf(Refused.class);
        assertThat(new Evict(A, new AgreedMember(B, SERVING, 4)).of(view)).isInstanceOf(Refused.class);
        MembersView again = view(6, new AgreedMember(A, JOINING, 6), new AgreedMember(B, SERVING, 4));
        assertThat(new Lapse(A, A_SERVES, B).of(again))
                .as("the question is older than the lapse")
                .isInstanceOf(Refused.class);
    }

    @Test
    void aNewerLifeTakesThePlaceOfOneWhoseLapseIsOver() {
        MembersView serving = view(3, A_SERVES, B_JOINS);
        assertThat(new Join(A2, true, Set.of()).of(serving)).isInstanceOf(Refused.class);
        assertThat(new Join(A2, true, Set.of(A_LAPSED)).of(serving))
                .as("the promise is for an earlier lapse")
                .isInstanceOf(Refused.class);
        MembersView lapsed = after(new Lapse(A2, null, A), serving);
        AgreedMember lapse = new AgreedMember(A, LAPSED, 4);
        assertThat(lapsed).isEqualTo(view(4, lapse, B_JOINS));
        assertThat(new Join(A2, true, Set.of()).of(lapsed)).isInstanceOf(Refused.class);
        MembersView replaced = after(new Join(A2, true, Set.of(lapse)), lapsed);
        assertThat(replaced).isEqualTo(view(5, B_JOINS, new AgreedMember(A2, JOINING, 5)));
        assertThat(new Join(A, false, Set.of()).of(replaced)).isInstanceOf(Refused.class);
        assertThat(new Lapse(A, A_SERVES, A2).of(replaced)).isInstanceOf(Refused.class);
    }

    @Test
    void anEvictedLifeHasToKnowBeforeItJoinsAgain() {
        MembersView lapsed = view(5, A_LAPSED, new AgreedMember(B, SERVING, 4));
        MembersView evicted = after(new Evict(B, A_LAPSED), lapsed);
        assertThat(evicted).isEqualTo(view(6, new AgreedMember(B, SERVING, 4)));
        assertThat(new Join(A, false, Set.of()).of(evicted)).isInstanceOf(Refused.class);
        assertThat(after(new Join(A, true, Set.of()), evicted).is(A, JOINING)).isTrue();
        assertThat(new Evict(B, new AgreedMember(A, LAPSED, 4)).of(lapsed))
                .as("the eviction is for an earlier lapse")
                .isInstanceOf(Unchanged.class);
    }

    @Test
    void aRepeatedStepChangesNothing() {
        MembersView view = view(5, A_LAPSED, B_JOINS);
        assertThat(new Join(B, true, Set.of()).of(view)).isInstanceOf(Unchanged.class);
        assertThat(new Lapse(B, B_JOINS, A).of(view)).isInstanceOf(Unchanged.class);
        assertThat(new Lapse(B, B_JOINS, A2).of(view)).isInstanceOf(Unchanged.class);
        assertThat(new Leave(A2).of(view)).isInstanceOf(Unchanged.class);
        assertThat(after(new Leave(A), view)).isEqualTo(view(6, B_JOINS));
    }

    @Test
    void whoServesAndWhomAPromiseWaitsFor() {
        AgreedMember lapse = new AgreedMember(new NodeLife("c", 1), LAPSED, 9);
        MembersView view = view(9, A_SERVES, B_JOINS, lapse);
        assertThat(view.serving()).containsExactly(A);
        assertThat(view.othersThan(A, Set.of()))
                .as("a promise also waits for a member whose lapse is not over")
                .containsExactlyInAnyOrder(B, lapse.life());
        assertThat(view.othersThan(A, Set.of(lapse))).containsExactly(B);
    }

    @Test
    void aViewIsReadAsItWasStored() {
        MembersView view =
                view(9, A_SERVES, B_JOINS, new AgreedMember(new NodeLife("\u00e4\u6f22", Long.MAX_VALUE), LAPSED, 9));
        byte[] stored = MembersViewCodec.encode(view);
        assertThat(MembersViewCodec.decode(stored)).isEqualTo(view);
        assertThat(MembersViewCodec.revision(stored)).isEqualTo(9);
        for (int length = 0; length < stored.length; length++) {
            byte[] cut = Arrays.copyOf(stored, length);
            assertThatThrownBy(() -> MembersViewCodec.decode(cut)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> MembersViewCodec.decode(Arrays.copyOf(stored, stored.length + 1)))
                .isInstanceOf(IllegalArgumentException.class);
        for (int at = 0; at < stored.length; at++) {
            for (int value : new int[] {-1, 0, 127, -128}) {
                byte[] changed = stored.clone();
                changed[at] = (byte) value;
                try {
                    MembersViewCodec.decode(changed);
                } catch (IllegalArgumentException e) {
                    assertThat(e).isNotNull(); // and nothing else
                }
            }
        }
    }

    private static MembersView after(MemberStep step, MembersView view) {
        MemberStep.Verdict verdict = step.of(view);
        assertThat(verdict).isInstanceOf(Changed.class);
        return ((Changed) verdict).next();
    }

    private static MembersView view(long revision, AgreedMember... members) {
        return new MembersView(revision, List.of(members));
    }
}
