package io.godwit.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SuccessesTest {
    private static final long MILLI = 1_000_000;

    @Test
    void theLongestGapMayBeAtEitherEndOrBetween() {
        Successes successes = new Successes();
        assertThat(successes.longestGapMillis(0, 50 * MILLI)).isEqualTo(50);
        successes.add(10 * MILLI);
        successes.add(30 * MILLI);
        successes.add(40 * MILLI);
        assertThat(successes.longestGapMillis(0, 50 * MILLI)).isEqualTo(20);
        assertThat(successes.longestGapMillis(0, 70 * MILLI)).isEqualTo(30);
        assertThat(successes.longestGapMillis(-90 * MILLI, 50 * MILLI)).isEqualTo(100);
        assertThat(successes.longestGapMillis(31 * MILLI, 45 * MILLI)).isEqualTo(9);
    }

    @Test
    void successesBeforeATimeAreNotCounted() {
        Successes successes = new Successes();
        successes.add(1);
        successes.add(2);
        assertThat(successes.countSince(2)).isEqualTo(1);
    }
}
