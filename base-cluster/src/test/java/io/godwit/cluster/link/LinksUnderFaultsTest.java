package io.godwit.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LinksUnderFaultsTest {
    private static final int SEEDS = 60;
    private static final int STEPS = 6_000;

    @Test
    void framesArriveOnceAndInOrderWhateverBreaks() {
        int received = 0;
        int lost = 0;
        int reconnected = 0;
        int passed = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            LinkSimulation simulation = new LinkSimulation(seed);
            try {
                simulation.start("b");
                simulation.start("a");
                simulation.start("c");
                simulation.settle();
                simulation.run(STEPS);
                simulation.settle();
                simulation.checkHealthy();
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
            received += simulation.received();
            lost += simulation.lost();
            reconnected += simulation.reconnected();
            passed += simulation.passed();
        }
        // enough happened
        assertThat(received).isGreaterThan(SEEDS * STEPS / 20);
        assertThat(lost).isGreaterThan(SEEDS);
        assertThat(reconnected).isGreaterThan(SEEDS);
        assertThat(passed).isGreaterThan(SEEDS);
    }
}
