package io.godwit.mqtt.transport.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.loop.SpreadEnd.Leaving;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** With a clock moved by hand. */
class SpreadEndTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    /** Nanosecond clocks may be below zero, and run over. */
    private static final long BEGIN = Long.MAX_VALUE - 3 * SECOND;

    private record Timer(Runnable task, long afterBegin) {}

    private final PriorityQueue<Timer> timers = new PriorityQueue<>(Comparator.comparingLong(Timer::afterBegin));
    private final List<Long> told = new ArrayList<>();
    private long nowNanos = BEGIN;

    private final class Connection implements TickListener {
        @Override
        public void tickIndex(int index) {}

        @Override
        public int onTick(int tick) {
            return tick + 1;
        }

        @Override
        public void shutDown() {
            told.add(nowNanos - BEGIN);
        }

        @Override
        public void end() {
            throw new AssertionError("what is under way is to be answered");
        }

        @Override
        public void cut() {}
    }

    private List<TickListener> loop(int connections) {
        return IntStream.range(0, connections)
                .<TickListener>mapToObj(i -> new Connection())
                .toList();
    }

    /** Returns when each connection was told, after the beginning, over all loops. */
    private List<Long> run(List<List<TickListener>> loops, long overNanos) {
        for (Deque<Leaving> leaving : SpreadEnd.spread(loops, BEGIN, overNanos)) {
            new SpreadEnd(
                            leaving,
                            (task, nanos) -> timers.add(new Timer(task, nowNanos - BEGIN + nanos)),
                            () -> nowNanos)
                    .run();
        }
        for (Timer next = timers.poll(); next != null; next = timers.poll()) {
            nowNanos = BEGIN + next.afterBegin;
            next.task.run();
        }
        return told;
    }

    @Test
    void connectionsOfAllLoopsGoAtAnEvenRate() {
        List<Long> at = run(List.of(loop(2), loop(0), loop(7), loop(1)), 10 * SECOND);
        assertThat(at)
                .containsExactlyElementsOf(
                        LongStream.range(0, 10).map(i -> i * SECOND).boxed().toList());
    }

    @Test
    void theOnlyOneGoesAtOnce() {
        assertThat(run(List.of(loop(1)), 10 * SECOND)).containsExactly(0L);
    }

    @Test
    void withoutTimeAllGoAtOnce() {
        assertThat(run(List.of(loop(3), loop(2)), 0)).containsExactly(0L, 0L, 0L, 0L, 0L);
    }

    @Test
    void nobodyIsToldNothing() {
        assertThat(run(List.of(loop(0), loop(0)), SECOND)).isEmpty();
    }

    /** An hour, with more connections than a node has. */
    @Test
    void noProductRunsOver() {
        long hour = TimeUnit.HOURS.toNanos(1);
        List<TickListener> many = loop(3_000_000);
        Deque<Leaving> leaving = SpreadEnd.spread(List.of(many), 0, hour).get(0);
        assertThat(leaving).hasSameSizeAs(many);
        long before = -1;
        for (Leaving each : leaving) {
            assertThat(each.atNanos()).isGreaterThan(before).isLessThan(hour);
            before = each.atNanos();
        }
        assertThat(before).isGreaterThan(hour - SECOND);
    }

    /** The loop was busy: connections whose time has passed are told together, and the others keep their times. */
    @Test
    void aLoopThatIsLateCatchesUp() {
        Deque<Leaving> leaving = new ArrayDeque<>(
                SpreadEnd.spread(List.of(loop(4)), BEGIN, 4 * SECOND).get(0));
        nowNanos = BEGIN + 2 * SECOND + 1;
        new SpreadEnd(leaving, (task, nanos) -> timers.add(new Timer(task, nanos)), () -> nowNanos).run();
        assertThat(told).hasSize(3);
        assertThat(timers)
                .singleElement()
                .satisfies(timer -> assertThat(timer.afterBegin).isEqualTo(SECOND - 1));
    }
}
