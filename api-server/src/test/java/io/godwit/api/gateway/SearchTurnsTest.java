package io.godwit.api.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SearchTurnsTest {
    private final SearchTurns turns = new SearchTurns();
    private final List<String> begun = new ArrayList<>();

    private SearchTurns.Turn turn(String caller, String search) {
        return turns.of(caller, () -> begun.add(search));
    }

    private List<SearchTurns.Turn> begin(String caller, int count) {
        List<SearchTurns.Turn> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            SearchTurns.Turn turn = turn(caller, caller + i);
            assertThat(turn.begin()).isTrue();
            all.add(turn);
        }
        return all;
    }

    @Test
    void someQuestionsBeginAtOnceAndSomeWaitForThem() {
        List<SearchTurns.Turn> all = begin("a", SearchTurns.MOST + 2);
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
        List<SearchTurns.Turn> all = begin("a", SearchTurns.MOST + SearchTurns.MOST_WAITING);
        SearchTurns.Turn refused = turn("a", "refused");
        assertThat(refused.begin()).isFalse();
        refused.end();
        assertThat(begun).hasSize(SearchTurns.MOST);
        all.forEach(SearchTurns.Turn::end);
        assertThat(begun).doesNotContain("refused");
        assertThat(turns.callers()).isZero();
        begin("a", SearchTurns.MOST + SearchTurns.MOST_WAITING);
    }

    @Test
    void callersThatHaveLeftWaitForNoTurn() {
        List<SearchTurns.Turn> all = begin("a", SearchTurns.MOST + 2);
        all.get(SearchTurns.MOST).end();
        all.get(0).end();
        assertThat(begun).containsExactly("a0", "a1", "a2", "a4");
    }

    @Test
    void aPlaceAmongThoseThatWaitIsGivenBackOnce() {
        List<SearchTurns.Turn> all = begin("a", SearchTurns.MOST + SearchTurns.MOST_WAITING);
        assertThat(turn("a", "too many").begin()).isFalse();
        all.get(SearchTurns.MOST).end();
        all.get(SearchTurns.MOST).end();
        SearchTurns.Turn next = turn("a", "next");
        assertThat(next.begin()).isTrue();
        assertThat(turn("a", "too many").begin()).isFalse();
        assertThat(begun).hasSize(SearchTurns.MOST);

        all.forEach(SearchTurns.Turn::end);
        assertThat(begun).endsWith("next").doesNotContain("a" + SearchTurns.MOST, "too many");
        next.end();
        assertThat(turns.callers()).isZero();
    }

    /** Nodes search on after the caller has left: its next searches wait for that. */
    @Test
    void aTurnGoesOnWhileNodesSearch() {
        List<SearchTurns.Turn> all = begin("a", SearchTurns.MOST + 1);
        assertThat(all.get(0).hold()).isTrue();
        all.get(0).end();
        assertThat(begun).hasSize(SearchTurns.MOST);
        all.get(0).release();
        assertThat(begun).endsWith("a3");
        all.get(0).release();
        all.get(0).end();
        all.forEach(SearchTurns.Turn::end);
        assertThat(turns.callers()).isZero();
    }

    @Test
    void nodesDoNotSearchForCallersThatHaveLeft() {
        SearchTurns.Turn turn = begin("a", 1).get(0);
        turn.end();
        assertThat(turn.hold()).isFalse();
        turn.release();
        assertThat(turns.callers()).isZero();
    }

    @Test
    void callersDoNotWaitForEachOther() {
        begin("a", SearchTurns.MOST + 1);
        begin("b", 1);
        assertThat(begun).endsWith("b0");
    }

    /** However many wait, and end at once. */
    @Test
    void aTurnThatEndsInItsBeginGivesItBack() {
        SearchTurns.Turn[] made = new SearchTurns.Turn[1];
        made[0] = turns.of("a", () -> made[0].end());
        for (int i = 0; i < SearchTurns.MOST * 2; i++) {
            assertThat(made[0].begin()).isTrue();
        }
        assertThat(turns.callers()).isZero();
    }
}
