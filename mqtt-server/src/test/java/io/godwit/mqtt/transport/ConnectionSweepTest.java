package io.godwit.mqtt.transport;

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
    private static final int SLICE = 4;

    private final ArrayDeque<Runnable> slices = new ArrayDeque<>();
    private final List<Long> pauses = new ArrayList<>();
    private final ConnectionSweep sweep = new ConnectionSweep(0, SLICE, (task, nanos) -> {
        slices.add(task);
        pauses.add(nanos);
    });
    private final List<Visited> there = new ArrayList<>();

    @Test
    void aPassIsSpreadOverItsSecond() {
        join(10);
        sweep.begin(1);
        assertThat(visits()).isEqualTo(SLICE);
        slices.remove().run();
        assertThat(visits()).isEqualTo(2 * SLICE);
        slices.remove().run();
        assertThat(visits()).isEqualTo(10);
        assertThat(slices).isEmpty();
        assertThat(pauses).hasSize(2).allMatch(nanos -> nanos == TimeUnit.SECONDS.toNanos(1) / 3);
        assertThat(there).allMatch(listener -> listener.lastTick == 1);
    }

    @Test
    void fewNeedNoTimer() {
        join(SLICE);
        sweep.begin(1);
        assertThat(visits()).isEqualTo(SLICE);
        assertThat(slices).isEmpty();
    }

    /** And its slice that is still to come goes on with the next one, as the only one. */
    @Test
    void aPassThatWasNotDoneInItsSecondIsEndedBeforeTheNext() {
        join(10);
        sweep.begin(1);
        sweep.begin(2);
        assertThat(visits()).isEqualTo(10);
        assertThat(slices).hasSize(1);
        runSlices();
        assertThat(there).allMatch(listener -> listener.visits == 2 && listener.lastTick == 2);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void eachIsVisitedOnceInAPassWhoeverComesAndGoes(long seed) {
        Random random = new Random(seed);
        join(50);
        for (int pass = 1; pass <= 200; pass++) {
            List<Visited> before = List.copyOf(there);
            there.forEach(listener -> listener.visits = 0);
            there.forEach(listener -> listener.leavesWith = random.nextInt(20) == 0 ? pick(random) : null);
            sweep.begin(pass);
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
                    .allMatch(listener -> there.contains(listener) ? listener.visits == 1 : listener.visits <= 1);
            List<LoopContext.TickListener> places = sweep.listeners();
            assertThat(places).hasSameSizeAs(there);
            for (Visited listener : there) {
                assertThat(places.get(listener.index)).isSameAs(listener);
            }
        }
    }

    private Visited pick(Random random) {
        return there.get(random.nextInt(there.size()));
    }

    private void join(int count) {
        for (int i = 0; i < count; i++) {
            Visited listener = new Visited();
            there.add(listener);
            sweep.add(listener);
        }
    }

    private void leave(Visited listener) {
        if (there.remove(listener)) {
            sweep.remove(listener.index);
        }
    }

    private int visits() {
        return there.stream().mapToInt(listener -> listener.visits).sum();
    }

    private void runSlices() {
        while (!slices.isEmpty()) {
            slices.remove().run();
        }
    }

    private final class Visited implements LoopContext.TickListener {
        private int index;
        private int visits;
        private int lastTick;
        /** Another one, or itself, that it closes when it is visited; null to close none. */
        private Visited leavesWith;

        @Override
        public void tickIndex(int place) {
            index = place;
        }

        @Override
        public void onTick(int tick) {
            visits++;
            lastTick = tick;
            if (leavesWith != null) {
                leave(leavesWith);
                leavesWith = null;
            }
        }

        @Override
        public void shutDown() {}

        @Override
        public void cut() {}
    }
}
