package io.godwit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MembershipTimingTest {
    private final MembershipTiming timing = MembershipTiming.DEFAULT;

    /** What the others wait for before they go on without a node that is silent, of the 12 s that they have. */
    @Test
    void aSilentNodeIsFoundInNineSeconds() {
        assertThat(timing.silence() + timing.verify()).isEqualTo(9_000);
    }

    /** A node that is back has no links before; it shall serve within ten seconds. */
    @Test
    void partsThatReachEachOtherBeginToMergeWithinFourSeconds() {
        assertThat(timing.mostUntilMerged()).isLessThan(4_000);
        assertThat(timing.mergeMin()).isLessThan(timing.mergeMax());
    }
}
