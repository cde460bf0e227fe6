package io.godwit.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MembershipTimingTest {
    private final MembershipTiming timing = MembershipTiming.DEFAULT;

    /** The part of the 12 s limit that passes before the others go on without a silent node. */
    @Test
    void aSilentNodeIsFoundInNineSeconds() {
        assertThat(timing.silence() + timing.verify()).isEqualTo(9_000);
    }

    /** A node that comes back has no links before the merge, and must serve within ten seconds. */
    @Test
    void partsThatReachEachOtherBeginToMergeWithinFourSeconds() {
        assertThat(timing.mostUntilMerged()).isLessThan(4_000);
        assertThat(timing.mergeMin()).isLessThan(timing.mergeMax());
    }
}
