package io.godwit.perf.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private static Figures round(double connects, long lost, String... cautions) {
        return new Figures(Map.of(Value.CONNECTS, connects), lost, List.of(cautions));
    }

    @Test
    void roundsHaveTheirMedianAllTheirLossesAndEachCautionOnce() {
        Figures figures =
                Figures.ofRounds(List.of(round(4_000, 1, "full"), round(9_000, 0, "full", "late"), round(5_000, 2)));

        assertThat(figures.values()).containsExactly(Map.entry(Value.CONNECTS, 5_000.0));
        assertThat(figures.lost()).isEqualTo(3);
        assertThat(figures.cautions()).containsExactly("full", "late");
    }

    @Test
    void ofTwoRoundsItIsTheMean() {
        assertThat(Figures.ofRounds(List.of(round(4_000, 0), round(5_000, 0))).values())
                .containsEntry(Value.CONNECTS, 4_500.0);
    }

    @Test
    void aValueThatNoRoundHasIsLeftOut() {
        assertThat(Figures.ofRounds(List.of(round(1, 0))).values()).doesNotContainKey(Value.P99);
    }
}
