package io.godwit.cluster.link.pairing;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.contact.LinkSimulation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LinksUnderFaultsTest {
    private static final int SEEDS = 60;
    private static final int STEPS = 6_000;

    /** A message costs much more than a frame in it. */
    @ParameterizedTest
    @EnumSource(
            value = Lane.class,
            names = {"LIVE", "INBOX_UP", "INBOX_DOWN"})
    void framesInQuickSuccessionShareMessages(Lane lane) {
        assertThat(messagesOf(200, lane, Pairing.BEAT_NANOS / 10)).isLessThan(100);
    }

    @ParameterizedTest
    @EnumSource(Lane.class)
    void framesAtALowRateWaitForNoOther(Lane lane) {
        assertThat(messagesOf(200, lane, 3 * Pairing.BEAT_NANOS)).isEqualTo(400);
    }

    /** A node that does not confirm them in time is excluded. */
    @Test
    void framesOfTheControlLaneNeverWait() {
        assertThat(messagesOf(200, Lane.CONTROL, 0)).isEqualTo(400);
    }

    /** Messages of both ends until the last frame was received; then all are confirmed. */
    private static int messagesOf(int frames, Lane lane, long pauseNanos) {
        LinkSimulation simulation = linked();
        int received = simulation.received();
        int before = simulation.messages();
        simulation.sendOneByOne(frames, lane, pauseNanos);
        int messages = simulation.messages() - before;
        assertThat(simulation.received() - received).isBetween(frames - 2 * Pairing.BUSY_FRAMES, frames);
        simulation.settle();
        assertThat(simulation.received() - received).isEqualTo(frames);
        simulation.checkHealthy();
        return messages;
    }

    private static LinkSimulation linked() {
        LinkSimulation simulation = new LinkSimulation(1);
        simulation.start("b");
        simulation.start("a");
        simulation.settle();
        return simulation;
    }

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
