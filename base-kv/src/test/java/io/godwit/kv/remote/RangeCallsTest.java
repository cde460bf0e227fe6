package io.godwit.kv.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.client.RangeException.Cause;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client over moving ranges, in memory, on one thread, with a clock moved by hand. */
class RangeCallsTest {
    private static final int STEPS = 3_000;

    /** Lost replies, and leaders that move, split and merge, between any two steps. A failure names its seed. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987})
    void nothingIsLostDoubledOrOvertakenWhileRangesMove(long seed) {
        SimRanges ranges = new SimRanges(seed);
        for (int step = 0; step < STEPS; step++) {
            ranges.step();
        }
        ranges.calm();
        ranges.assertOrderOfEachKey();
        assertThat(ranges.sentTooLate()).as("seed %d", seed).isZero();
        assertThat(ranges.unanswered()).as("seed %d", seed).isZero();
        assertThat(ranges.done()).as("calls done, seed %d", seed).isGreaterThan(STEPS / 20);
        assertThat(ranges.refusals()).as("refusals met, seed %d", seed).isPositive();
    }

    @Test
    void callThatWasRefusedGoesToTheNextLeaderAheadOfLaterOnes() {
        SimRanges ranges = new SimRanges(0);
        ranges.tellRoutes();
        ranges.mutate("k");
        ranges.moveLeader(0); // the call is in transit and will be refused
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
        ranges.deliverAll(); // accepted, and nothing follows
        ranges.advance(SimRanges.DEADLINE_MILLIS + 1_000);
        assertThat(ranges.failures()).isEqualTo(List.of(Cause.TIMEOUT));
        ranges.mutate("k");
        ranges.calm();
        assertThat(ranges.applied("k")).containsExactly(1L, 2L);
    }

    /** The leader was suspended with the query in its sockets, and the others have elected another. */
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

    /** A caller that may write twice need not wait until the deadline. */
    @Test
    void mutationOfALeaderThatStandsStillIsLostOnceThereIsAnother() {
        SimRanges ranges = new SimRanges(0);
        ranges.tellRoutes();
        ranges.mutate("k");
        ranges.deliverAll();
        ranges.loseAnswers();
        ranges.moveLeader(0);
        ranges.tellRoutes();
        ranges.mutate("k"); // finds the next leader, and waits for what the former one has in progress
        ranges.advance(2 * RangeCalls.DRAIN_MILLIS);
        assertThat(ranges.failures()).isEqualTo(List.of(Cause.LOST));
        ranges.calm();
        assertThat(ranges.done()).isEqualTo(1);
    }

    /** The loss of a node costs only a pause: no caller is told, and the order of a key holds. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987})
    void repeatedCallsKeepTheOrderOfTheirKey(long seed) {
        SimRanges ranges = new SimRanges(seed);
        ranges.repeating();
        for (int step = 0; step < STEPS; step++) {
            ranges.step();
        }
        ranges.calm();
        ranges.assertNothingAcknowledgedIsReplacedByEarlier();
        assertThat(ranges.unanswered()).as("seed %d", seed).isZero();
        assertThat(ranges.done()).as("calls done, seed %d", seed).isGreaterThan(STEPS / 20);
        assertThat(ranges.refusals()).as("refusals met, seed %d", seed).isPositive();
        assertThat(ranges.failures()).as("seed %d", seed).doesNotContain(Cause.TIMEOUT);
    }

    /** One waits for a leader, one for an answer that does not come. */
    @Test
    void whatTheCallerHasGivenUpIsNotSentAnyMore() {
        SimRanges ranges = new SimRanges(0);
        ranges.repeating();
        ranges.mutate("l"); // nobody leads yet
        ranges.giveUpAll();
        ranges.advance(2 * RangeCalls.TICK_MILLIS);
        assertThat(ranges.failures()).isEqualTo(List.of(Cause.LOST));
        ranges.mutate("l");
        ranges.tellRoutes();
        ranges.calm();
        assertThat(ranges.applied("l")).containsExactly(2L);

        ranges.mutate("k");
        ranges.deliverAll();
        ranges.giveUpAll();
        ranges.breakConnections();
        ranges.mutate("k");
        ranges.calm();
        assertThat(ranges.applied("k")).containsExactly(3L, 4L);
        assertThat(ranges.failures()).isEqualTo(List.of(Cause.LOST, Cause.TIMEOUT));
        assertThat(ranges.done()).isEqualTo(2);
    }

    @Test
    void repeatableCallWhoseConnectionBrokeIsSentAgainAheadOfLaterOnes() {
        SimRanges ranges = new SimRanges(0);
        ranges.repeating();
        ranges.tellRoutes();
        ranges.mutate("k");
        ranges.mutate("k");
        ranges.deliverAll();
        ranges.breakConnections();
        ranges.mutate("k");
        ranges.calm();
        assertThat(ranges.applied("k")).containsExactly(1L, 2L, 1L, 2L, 3L);
        assertThat(ranges.failures()).isEmpty();
        assertThat(ranges.done()).isEqualTo(3);
    }

    /** Calls made while the lost leader was waited for must not overtake its calls. */
    @Test
    void repeatableCallOfALeaderThatStandsStillGoesToTheNextAheadOfLaterOnes() {
        SimRanges ranges = new SimRanges(0);
        ranges.repeating();
        ranges.tellRoutes();
        ranges.mutate("k");
        ranges.deliverAll();
        ranges.loseAnswers();
        ranges.moveLeader(0);
        ranges.loseAnswers();
        ranges.tellRoutes();
        ranges.mutate("k");
        ranges.advance(2 * RangeCalls.DRAIN_MILLIS);
        ranges.calm();
        assertThat(ranges.failures()).isEmpty();
        assertThat(ranges.done()).isEqualTo(2);
        assertThat(ranges.applied("k")).endsWith(1L, 2L);
    }

    @Test
    void repeatableCallOfALeaderThatIsDeposedGoesToTheNext() {
        SimRanges ranges = new SimRanges(0);
        ranges.repeating();
        ranges.tellRoutes();
        for (int i = 0; i < 10; i++) {
            ranges.mutate("k");
        }
        ranges.deliverAll();
        ranges.moveLeader(0);
        ranges.calm();
        assertThat(ranges.failures()).isEmpty();
        assertThat(ranges.applied("k")).endsWith(8L, 9L, 10L);
    }

    @Test
    void repeatableCallFailsAtItsDeadline() {
        SimRanges ranges = new SimRanges(0);
        ranges.repeating();
        ranges.tellRoutes();
        ranges.mutate("k");
        ranges.deliverAll();
        ranges.advance(SimRanges.DEADLINE_MILLIS - 1_000);
        ranges.breakConnections();
        ranges.loseRanges();
        ranges.advance(2_000);
        assertThat(ranges.failures()).isEqualTo(List.of(Cause.TIMEOUT));
    }

    /** The leader becomes known after the caller has given up, before any timer has run. */
    @Test
    void callThatHasWaitedBeyondItsDeadlineIsNotSent() {
        SimRanges ranges = new SimRanges(0);
        ranges.mutate("k");
        ranges.query("k");
        ranges.stall(SimRanges.DEADLINE_MILLIS);
        ranges.mutate("k");
        ranges.tellRoutes();
        assertThat(ranges.failures()).isEqualTo(List.of(Cause.TIMEOUT, Cause.TIMEOUT));
        ranges.calm();
        assertThat(ranges.applied("k"))
                .as("the first call does not delay the next one")
                .containsExactly(3L);
        assertThat(ranges.sentTooLate()).isZero();
        assertThat(ranges.unanswered()).isZero();
    }

    @Test
    void callThatReachesTheClientBeyondItsDeadlineIsNotSent() {
        SimRanges ranges = new SimRanges(0);
        ranges.tellRoutes();
        ranges.callTooLate("k");
        assertThat(ranges.failures()).isEqualTo(List.of(Cause.TIMEOUT, Cause.TIMEOUT));
        ranges.calm();
        assertThat(ranges.applied("k")).isEmpty();
        assertThat(ranges.sentTooLate()).isZero();
    }

    @Test
    void callThatIsRefusedBeyondItsDeadlineIsNotSentToTheNextLeader() {
        SimRanges ranges = new SimRanges(0);
        ranges.tellRoutes();
        ranges.mutate("k");
        ranges.query("k");
        ranges.moveLeader(0); // both are in transit and will be refused
        ranges.stall(SimRanges.DEADLINE_MILLIS);
        ranges.tellRoutes();
        ranges.calm();
        assertThat(ranges.failures()).isEqualTo(List.of(Cause.TIMEOUT, Cause.TIMEOUT));
        assertThat(ranges.applied("k")).isEmpty();
        assertThat(ranges.sentTooLate()).isZero();
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
