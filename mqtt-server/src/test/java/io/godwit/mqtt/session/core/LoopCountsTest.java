package io.godwit.mqtt.session.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class LoopCountsTest {
    @Test
    void thoseOfAllLoopsAreAddedUp() {
        LoopCounts one = new LoopCounts();
        LoopCounts other = new LoopCounts();
        LoopCounts[] all = {one, other};
        one.changeInboundUnderWay(5);
        one.changeInboundUnderWay(-2);
        other.changeInboundUnderWay(1);
        other.changeOutboundUnderWay(7);
        one.changeQueued(9);
        one.acknowledge();
        other.acknowledge();

        assertThat(LoopCounts.sum(all, LoopCounts::inboundUnderWay)).isEqualTo(4);
        assertThat(LoopCounts.sum(all, LoopCounts::outboundUnderWay)).isEqualTo(7);
        assertThat(LoopCounts.sum(all, LoopCounts::queued)).isEqualTo(9);
        assertThat(LoopCounts.sum(all, LoopCounts::acknowledged)).isEqualTo(2);
    }

    /** Two cache lines of 64 bytes on each side, whatever lies beside the array. */
    @Test
    void nothingOfAnotherLoopLiesInTheSameCacheLines() {
        LoopCounts counts = new LoopCounts();
        counts.changeInboundUnderWay(1);
        counts.changeOutboundUnderWay(1);
        counts.changeQueued(1);
        counts.acknowledge();

        int length = counts.numbers.length;
        assertThat(Arrays.copyOfRange(counts.numbers, 0, 16)).containsOnly(0);
        assertThat(Arrays.copyOfRange(counts.numbers, length - 16, length)).containsOnly(0);
        assertThat(Arrays.stream(counts.numbers).sum()).isEqualTo(4);
    }
}
