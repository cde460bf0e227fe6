package io.godwit.mqtt.transport.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionSweepTest {
    private static final int LOOKS = 4;
    private static final int NOTES = 16;
    private static final int NEVER = Integer.MAX_VALUE;

    private final ArrayDeque<Runnable> slices = new ArrayDeque<>();
    private final List<Long> pauses = new ArrayList<>();
    private final ConnectionSweep sweep = new ConnectionSweep(0, LOOKS, NOTES, (task, nanos) -> {
        slices.add(task);
        pauses.add(nanos);
    });
    private final List<Watched> there = new ArrayList<>();
    /** The tick of the pass that began last. */
    private int tick;
    /** The tick of the pass that is running: it may be the one before, still to be finished. */
    private int now;
    /** Deadlines that have passed. */
    private int fired;

    private int late;

    @Test
    void looksAreSpreadOverTheSecond() {
        join(10);
        begin();
        assertThat(looks()).isEqualTo(LOOKS);
        slices.remove().run();
        assertThat(looks()).isEqualTo(2 * LOOKS);
        slices.remove().run();
        assertThat(looks()).isEqualTo(10);
        assertThat(slices).isEmpty();
        assertThat(pauses).containsExactly(TimeUnit.MILLISECONDS.toNanos(360), TimeUnit.MILLISECONDS.toNanos(360));
        assertThat(there).allMatch(watched -> watched.lastTick == 1);
    }

    @Test
    void whereNothingIsDueASliceIsLonger() {
        join(2 * NOTES + 1);
        there.forEach(watched -> watched.deadline = 100);
        pass();
        pauses.clear();

        begin();
        assertThat(slices).hasSize(1);
        slices.remove().run();
        assertThat(slices).hasSize(1);
        slices.remove().run();
        assertThat(slices).isEmpty();

        assertThat(pauses).hasSize(2).allMatch(nanos -> nanos == TimeUnit.MILLISECONDS.toNanos(900) * 16 / 33);
        assertThat(looks()).as("each connection was checked once in each pass").isEqualTo(2 * NOTES + 1);
    }

    @Test
    void fewNeedNoTimer() {
        join(LOOKS);
        begin();
        assertThat(looks()).isEqualTo(LOOKS);
        assertThat(slices).isEmpty();
    }

    /** And its slice that is still to come goes on with the next one, as the only one. */
    @Test
    void aPassThatWasNotDoneInItsSecondIsEndedBeforeTheNext() {
        join(10);
        begin();
        begin();
        assertThat(looks()).isEqualTo(10);
        assertThat(slices).hasSize(1);
        runSlices();
        assertThat(there).allMatch(watched -> watched.looks == 2 && watched.lastTick == 2);
    }

    @Test
    void nobodyIsLookedAtBeforeItIsDue() {
        join(1);
        Watched watched = there.get(0);
        watched.deadline = 7;
        for (int i = 1; i <= 6; i++) {
            pass();
        }
        assertThat(watched.looks)
                .as("only the first check, which finds out the deadline")
                .isEqualTo(1);
        pass();
        assertThat(watched.looks).isEqualTo(2);
        assertThat(watched.firedAt).isEqualTo(7);
    }

    /** The tick returned by a look must not override an earlier look requested meanwhile. */
    @Test
    void aLookThatIsAskedForDuringALookIsNotForgotten() {
        join(1);
        Watched watched = there.get(0);
        watched.deadline = 100;
        watched.atLook = () -> sweep.lookSoon(watched.index);
        pass();
        watched.atLook = () -> {};
        pass();
        assertThat(watched.looks).isEqualTo(2);
        pass();
        assertThat(watched.looks).isEqualTo(2);
    }

    /** It is the last and has been passed, so it moves when another one leaves. */
    @Test
    void whoMovesWhileItIsLookedAtTakesItsTimeAlong() {
        join(3);
        Watched last = there.get(2);
        Watched first = there.get(0);
        last.deadline = 5;
        last.atLook = () -> leave(first);
        pass();
        last.atLook = () -> {};
        there.get(0).deadline = 3;
        for (int i = 2; i <= 5; i++) {
            pass();
        }
        assertThat(last.firedAt).isEqualTo(5);
        assertThat(last.looks).isEqualTo(2);
    }

    /** Nor does the tick of a listener that has left pass to the one that takes its place. */
    @Test
    void whoLeavesWhileItIsLookedAtLeavesNoTimeBehind() {
        join(3);
        Watched leaving = there.get(1);
        Watched last = there.get(2);
        last.deadline = 3;
        leaving.atLook = () -> leave(leaving);
        for (int i = 1; i <= 3; i++) {
            pass();
        }
        assertThat(last.firedAt).isEqualTo(3);
        assertThat(last.looks).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void eachIsPassedOnceInAPassWhoeverComesAndGoes(long seed) {
        Random random = new Random(seed);
        join(50);
        for (int pass = 1; pass <= 200; pass++) {
            List<Watched> before = List.copyOf(there);
            there.forEach(watched -> {
                watched.looks = 0;
                watched.atLook = random.nextInt(20) == 0 ? () -> leave(pick(random)) : () -> {};
            });
            begin();
            while (!slices.isEmpty()) {
                if (!there.isEmpty() && random.nextInt(3) == 0) {
                    leave(pick(random));
                }
                if (there.size() < 80 && random.nextInt(3) == 0) {
                    join(random.nextInt(8));
                }
                slices.remove().run();
            }
            assertThat(before)
                    .as("pass %s", pass)
                    .allMatch(watched -> there.contains(watched) ? watched.looks == 1 : watched.looks <= 1);
            assertPlaces();
        }
    }

    /**
     * Deadlines that move in both directions, of listeners that come and go, between slices and within looks. None
     * passes before its tick, and each in the pass of its tick, or in the next one if that has already begun: as if
     * every pass looked at all of them.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void eachDeadlineIsMet(long seed) {
        Random random = new Random(seed);
        join(60, NEVER);
        there.forEach(watched -> watched.expects(1 + random.nextInt(20)));
        int looks = 0;
        int passed = 0;
        for (int pass = 1; pass <= 1_000; pass++) {
            for (Watched watched : there) {
                looks += watched.looks;
                passed++;
                watched.looks = 0;
                watched.atLook = random.nextInt(30) == 0 ? () -> stir(random) : () -> {};
                if (watched.deadline == NEVER && random.nextInt(3) == 0) {
                    begin(watched, random);
                }
            }
            begin(); // with the rest of the pass before
            int last = tick - 1;
            assertThat(there).as("pass %s", last).allMatch(watched -> watched.latest > last);
            boolean isBusy = random.nextInt(10) == 0;
            while (!slices.isEmpty() && !isBusy) {
                stir(random);
                slices.remove().run();
                isBusy = random.nextInt(20) == 0;
            }
            stir(random);
            assertPlaces();
        }
        assertThat(late).isZero();
        assertThat(fired).isGreaterThan(2_000);
        assertThat(looks).isLessThan(passed / 2);
    }

    /** Somebody comes, goes, sends something, or has a time-out begun. */
    private void stir(Random random) {
        switch (random.nextInt(4)) {
            case 0 -> {
                if (there.size() > 30) {
                    leave(pick(random));
                }
            }
            case 1 -> join(there.size() < 80 ? random.nextInt(4) : 0, NEVER);
            case 2 -> {
                Watched watched = pick(random);
                if (watched.deadline != NEVER) {
                    watched.expects(watched.deadline + random.nextInt(20)); // nobody is told
                }
            }
            default -> begin(pick(random), random);
        }
    }

    private void begin(Watched watched, Random random) {
        int deadline = now + random.nextInt(20);
        if (deadline < watched.deadline) {
            watched.expects(deadline);
            sweep.lookSoon(watched.index);
        }
    }

    private void assertPlaces() {
        List<TickListener> places = sweep.listeners();
        assertThat(places).hasSameSizeAs(there);
        for (Watched watched : there) {
            assertThat(places.get(watched.index)).isSameAs(watched);
        }
    }

    private Watched pick(Random random) {
        return there.get(random.nextInt(there.size()));
    }

    /** To be looked at in every pass. */
    private void join(int count) {
        join(count, 0);
    }

    private void join(int count, int deadline) {
        for (int i = 0; i < count; i++) {
            Watched watched = new Watched(deadline);
            there.add(watched);
            sweep.add(watched);
        }
    }

    private void leave(Watched watched) {
        if (there.remove(watched)) {
            sweep.remove(watched.index);
        }
    }

    private void begin() {
        tick++;
        sweep.begin(tick);
        now = tick;
    }

    private void pass() {
        begin();
        runSlices();
    }

    private int looks() {
        return there.stream().mapToInt(watched -> watched.looks).sum();
    }

    private void runSlices() {
        while (!slices.isEmpty()) {
            slices.remove().run();
        }
    }

    private final class Watched implements TickListener {
        private int index;
        private int looks;
        private int lastTick;
        /** {@link #NEVER} for none; 0 to be looked at in every pass. */
        private int deadline;
        /** The last pass in which {@link #deadline} may be seen to have passed. */
        private int latest = NEVER;

        private int firedAt;
        /** What it does to itself or others when the sweep looks at it. */
        private Runnable atLook = () -> {};

        private Watched(int deadline) {
            this.deadline = deadline;
        }

        private void expects(int tick) {
            deadline = tick;
            latest = Math.max(tick, now + 1);
        }

        @Override
        public void tickIndex(int place) {
            index = place;
        }

        @Override
        public int onTick(int at) {
            now = at;
            looks++;
            lastTick = at;
            atLook.run();
            if (deadline == 0) {
                return at + 1;
            }
            if (there.contains(this) && at >= deadline) {
                fired++;
                late += at > latest ? 1 : 0; // the sweep would catch an exception here
                firedAt = at;
                deadline = NEVER;
                latest = NEVER;
            }
            return deadline;
        }

        @Override
        public void shutDown() {}

        @Override
        public void end() {}

        @Override
        public void cut() {}
    }
}
