package io.godwit.kv.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.RangeException.Cause;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client over ranges that move, in memory, on one thread, with a clock moved by hand. */
class RangeCallsTest {
    private static final int STEPS = 3_000;

    /**
     * A lost reply, a leader that moves, cuts and merges, at every point between any two steps. A failure names its
     * seed.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987})
    void nothingIsLostDoubledOrOvertakenWhileRangesMove(long seed) {
        SimRanges ranges = new SimRanges(seed);
        for (int step = 0; step < STEPS; step++) {
            ranges.step();
        }
        ranges.calm();
        ranges.assertOrderOfEachKey();
        assertThat(ranges.unanswered()).as("seed %d", seed).isZero();
        assertThat(ranges.done()).as("calls done, seed %d", seed).isGreaterThan(STEPS / 20);
        assertThat(ranges.refusals()).as("refusals met, seed %d", seed).isPositive();
    }

    @Test
    void callThatWasRefusedGoesToTheNextLeaderAheadOfLaterOnes() {
        SimRanges ranges = new SimRanges(0);
        ranges.tellRoutes();
        ranges.mutate("k");
        ranges.moveLeader(0); // the call is on its way and will be refused
        ranges.mutate("k");
        ranges.calm();
        assertThat(ranges.applied("k")).containsExactly(1L, 2L);
        assertThat(ranges.done()).isEqualTo(2);
    }

    @Test
    void callWhoseConnectionBrokeIsNotSentTwice() {
        SimRanges ranges = new SimRanges(0);
        ranges.tellRoutes();
        ranges.mutate("k");
        ranges.deliverAll();
        ranges.applyAll();
        ranges.breakConnections();
        ranges.calm();
        assertThat(ranges.applied("k")).containsExactly(1L);
        assertThat(ranges.failures()).isEqualTo(List.of(Cause.TIMEOUT));
    }

    @Test
    void callWithoutALeaderFailsAtItsDeadline() {
        SimRanges ranges = new SimRanges(0);
        ranges.mutate("k");
        ranges.query("k");
        ranges.advance(SimRanges.DEADLINE_MILLIS + 1_000);
        assertThat(ranges.failures()).isEqualTo(List.of(Cause.TIMEOUT, Cause.TIMEOUT));
    }

    @Test
    void leaderThatDoesNotAnswerIsWaitedForUntilTheDeadlineAndNoLonger() {
        SimRanges ranges = new SimRanges(0);
        ranges.tellRoutes();
        ranges.mutate("k");
        ranges.deliverAll(); // taken, and nothing follows
        ranges.advance(SimRanges.DEADLINE_MILLIS + 1_000);
        assertThat(ranges.failures()).isEqualTo(List.of(Cause.TIMEOUT));
        ranges.mutate("k");
        ranges.calm();
        assertThat(ranges.applied("k")).containsExactly(1L, 2L);
    }

    /** It was stopped, with the question in its sockets, and others have elected another. */
    @Test
    void queryOfALeaderThatStandsStillIsAskedOfTheNextOne() {
        SimRanges ranges = new SimRanges(0);
        ranges.tellRoutes();
        ranges.query("k");
        ranges.deliverAll();
        ranges.loseAnswers();
        ranges.moveLeader(0);
        ranges.tellRoutes();
        ranges.deliverAll();
        ranges.answerAll();
        assertThat(ranges.done()).isEqualTo(1);
    }

    /** Who may write twice need not wait until the deadline. */
    @Test
    void mutationOfALeaderThatStandsStillIsLostOnceThereIsAnother() {
        SimRanges ranges = new SimRanges(0);
        ranges.tellRoutes();
        ranges.mutate("k");
        ranges.deliverAll();
        ranges.loseAnswers();
        ranges.moveLeader(0);
        ranges.tellRoutes();
        ranges.mutate("k"); // finds the next leader, and waits for what is under way to the one before
        ranges.advance(2 * RangeCalls.DRAIN_MILLIS);
        assertThat(ranges.failures()).isEqualTo(List.of(Cause.LOST));
        ranges.calm();
        assertThat(ranges.done()).isEqualTo(1);
    }

    @Test
    void whatExceedsTheBoundIsRefusedAtOnce() {
        SimRanges ranges = new SimRanges(0);
        for (int i = 0; i < 10; i++) {
            ranges.mutateLarge("k", SimRanges.MAX_PENDING_BYTES / 4);
        }
        assertThat(ranges.failures()).hasSize(7).containsOnly(Cause.OVERLOADED);
    }

    @Test
    void queryOfAnIntervalIsAnsweredByOneRangeOrNotAtAll() {
        SimRanges ranges = new SimRanges(0);
        ranges.split(0, "m");
        ranges.tellRoutes();
        ranges.queryInterval("a", "m");
        ranges.queryInterval("a", "n");
        ranges.calm();
        assertThat(ranges.done()).isEqualTo(1);
        assertThat(ranges.failures()).isEqualTo(List.of(Cause.MOVED));
    }
}
