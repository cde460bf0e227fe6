package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.crash.NodesPlan.Step;
import io.godwit.it.crash.NodesPlan.Trouble;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodesPlanTest {
    private static NodesPlan plan(long seed, int nodes, long millis, Set<Trouble> troubles) {
        return NodesPlan.of(seed, nodes, millis, 100, 10, troubles);
    }

    @Test
    void aSeedTellsAllThatIsDone() {
        Set<Trouble> all = EnumSet.allOf(Trouble.class);
        assertThat(plan(7, 3, 60_000, all)).isEqualTo(plan(7, 3, 60_000, all));
        assertThat(plan(7, 3, 60_000, all)).isNotEqualTo(plan(8, 3, 60_000, all));
    }

    @Test
    void eachTroubleComesOnceBeforeAnyComesAgain() {
        assertThat(plan(7, 3, 600_000, EnumSet.allOf(Trouble.class)).steps().subList(0, Trouble.values().length))
                .extracting(Step::trouble)
                .containsExactlyInAnyOrder(Trouble.values());
    }

    @Test
    void onlyChosenTroublesCome() {
        assertThat(plan(7, 3, 600_000, EnumSet.of(Trouble.KILL, Trouble.MUTE)).steps())
                .extracting(Step::trouble)
                .containsOnly(Trouble.KILL, Trouble.MUTE);
    }

    @Test
    void allNodesAreVictimsOfALongPlan() {
        assertThat(plan(7, 5, 600_000, EnumSet.allOf(Trouble.class)).steps())
                .extracting(Step::victim)
                .contains(0, 1, 2, 3, 4);
    }
}
