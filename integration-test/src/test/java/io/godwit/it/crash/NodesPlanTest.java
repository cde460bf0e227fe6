package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.crash.NodesPlan.Step;
import io.godwit.it.crash.NodesPlan.Trouble;
import org.junit.jupiter.api.Test;

class NodesPlanTest {
    @Test
    void aSeedTellsAllThatIsDone() {
        assertThat(NodesPlan.of(7, 3, 60_000, 100, 10)).isEqualTo(NodesPlan.of(7, 3, 60_000, 100, 10));
        assertThat(NodesPlan.of(7, 3, 60_000, 100, 10)).isNotEqualTo(NodesPlan.of(8, 3, 60_000, 100, 10));
    }

    @Test
    void anEvenSoShortPlanHasEveryTrouble() {
        assertThat(NodesPlan.of(7, 3, 0, 100, 10).steps())
                .extracting(Step::trouble)
                .containsExactlyInAnyOrder(Trouble.values());
    }

    @Test
    void allNodesAreVictimsOfALongPlan() {
        assertThat(NodesPlan.of(7, 5, 600_000, 100, 10).steps())
                .extracting(Step::victim)
                .contains(0, 1, 2, 3, 4);
    }
}
