package io.godwit.kv.range.leader;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LeaderLoadTest {
    @Test
    void ticksOfAllRangesComeTogether() {
        assertThat(LeaderLoad.millisToTick(10_000)).isEqualTo(1_000);
        assertThat(LeaderLoad.millisToTick(10_002)).isEqualTo(998);
        assertThat(LeaderLoad.millisToTick(10_500)).isEqualTo(500);
        assertThat(LeaderLoad.millisToTick(-9_998)).isEqualTo(998);
    }

    @Test
    void noTickIsShort() {
        assertThat(LeaderLoad.millisToTick(10_501)).isEqualTo(1_499);
        assertThat(LeaderLoad.millisToTick(10_999)).isEqualTo(1_001);
    }
}
