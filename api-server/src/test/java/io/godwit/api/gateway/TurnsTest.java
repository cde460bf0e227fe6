package io.godwit.api.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private final Turns turns = new Turns();
    private final List<String> begun = new ArrayList<>();

    private Turns.Turn turn(String caller, String search) {
        return turns.of(caller, () -> begun.add(search));
    }

    private List<Turns.Turn> begin(String caller, int count) {
        List<Turns.Turn> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Turns.Turn turn = turn(caller, caller + i);
            assertThat(turn.begin()).isTrue();
            all.add(turn);
        }
        return all;
    }

    @Test
    void someQuestionsBeginAtOnceAndSomeWaitForThem() {
        List<Turns.Turn> all = begin("a", Turns.MOST + 2);
        assertThat(begun).containsExactly("a0", "a1", "a2");
        all.get(1).end();
        assertThat(begun).containsExactly("a0", "a1", "a2", "a3");
        all.get(1).end(); // is over already
        assertThat(begun).hasSize(4);
        all.get(0).end();
        assertThat(begun).endsWith("a4");
    }

    @Test
    void moreAreRefusedAndTakeNothing() {
        List<Turns.Turn> all = begin("a", Turns.MOST + Turns.MOST_WAITING);
        Turns.Turn refused = turn("a", "refused");
        assertThat(refused.begin()).isFalse();
        refused.end();
        assertThat(begun).hasSize(Turns.MOST);
        all.forEach(Turns.Turn::end);
        assertThat(begun).doesNotContain("refused");
        assertThat(turns.callers()).isZero();
        begin("a", Turns.MOST + Turns.MOST_WAITING);
    }

    @Test
    void callersThatHaveLeftWaitForNoTurn() {
        List<Turns.Turn> all = begin("a", Turns.MOST + 2);
        all.get(Turns.MOST).end();
        all.get(0).end();
        assertThat(begun).containsExactly("a0", "a1", "a2", "a4");
    }

    @Test
    void aPlaceAmongThoseThatWaitIsGivenBackOnce() {
        List<Turns.Turn> all = begin("a", Turns.MOST + Turns.MOST_WAITING);
        assertThat(turn("a", "too many").begin()).isFalse();
        all.get(Turns.MOST).end();
        all.get(Turns.MOST).end();
        Turns.Turn next = turn("a", "next");
        assertThat(next.begin()).isTrue();
        assertThat(turn("a", "too many").begin()).isFalse();
        assertThat(begun).hasSize(Turns.MOST);

        all.forEach(Turns.Turn::end);
        assertThat(begun).endsWith("next").doesNotContain("a" + Turns.MOST, "too many");
        next.end();
        assertThat(turns.callers()).isZero();
    }

    /** Nodes search on after the caller has left: its next searches wait for that. */
    @Test
    void aTurnGoesOnWhileNodesSearch() {
        List<Turns.Turn> all = begin("a", Turns.MOST + 1);
        assertThat(all.get(0).hold()).isTrue();
        all.get(0).end();
        assertThat(begun).hasSize(Turns.MOST);
        all.get(0).release();
        assertThat(begun).endsWith("a3");
        all.get(0).release();
        all.get(0).end();
        all.forEach(Turns.Turn::end);
        assertThat(turns.callers()).isZero();
    }

    @Test
    void nodesDoNotSearchForCallersThatHaveLeft() {
        Turns.Turn turn = begin("a", 1).get(0);
        turn.end();
        assertThat(turn.hold()).isFalse();
        turn.release();
        assertThat(turns.callers()).isZero();
    }

    @Test
    void callersDoNotWaitForEachOther() {
        begin("a", Turns.MOST + 1);
        begin("b", 1);
        assertThat(begun).endsWith("b0");
    }

    /** However many wait, and end at once. */
    @Test
    void aTurnThatEndsInItsBeginGivesItBack() {
        Turns.Turn[] made = new Turns.Turn[1];
        made[0] = turns.of("a", () -> made[0].end());
        for (int i = 0; i < Turns.MOST * 2; i++) {
            assertThat(made[0].begin()).isTrue();
        }
        assertThat(turns.callers()).isZero();
    }
}
