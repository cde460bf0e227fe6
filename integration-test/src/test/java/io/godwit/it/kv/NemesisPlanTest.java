package io.godwit.it.kv;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.kv.NemesisPlan.Step;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NemesisPlanTest {
    private static final Set<Trouble> ALL = EnumSet.allOf(Trouble.class);

    @Test
    void theSameSeedGivesTheSameTroubles() {
        assertThat(NemesisPlan.of(5, 3, 60_000, 10_000, ALL)).isEqualTo(NemesisPlan.of(5, 3, 60_000, 10_000, ALL));
        assertThat(NemesisPlan.of(5, 3, 60_000, 10_000, ALL)).isNotEqualTo(NemesisPlan.of(6, 3, 60_000, 10_000, ALL));
    }

    @Test
    void eachTroubleComesBeforeAnyComesAgain() {
        List<Step> steps = NemesisPlan.of(1, 5, 180_000, 12_000, ALL).steps();
        assertThat(steps.subList(0, ALL.size()).stream().map(Step::trouble)).containsExactlyInAnyOrderElementsOf(ALL);
    }

    @Test
    void withoutATimeEachTroubleComesOnce() {
        assertThat(NemesisPlan.of(7, 3, 0, 2_000, ALL).steps().stream().map(Step::trouble))
                .containsExactlyInAnyOrderElementsOf(ALL);
    }

    @Test
    void aLinkHasTwoEnds() {
        assertThat(NemesisPlan.of(2, 3, 600_000, 12_000, ALL).steps())
                .allMatch(step -> step.victim() != step.other() && step.other() < 3);
    }

    @Test
    void oneNodeHasNoLinks() {
        assertThat(NemesisPlan.possible(1, ALL))
                .containsExactlyInAnyOrder(Trouble.KILL, Trouble.RESTART, Trouble.PAUSE, Trouble.FILL_DISK);
        assertThat(NemesisPlan.possible(3, EnumSet.complementOf(EnumSet.of(Trouble.FILL_DISK))))
                .doesNotContain(Trouble.FILL_DISK)
                .contains(Trouble.CUT_ONE_WAY);
    }
}
