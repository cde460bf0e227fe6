package io.godwit.mqtt.transport.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.godwit.mqtt.transport.Listener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoopContextTest {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final LoopContext loop = new LoopContext(0, tasks::add);
    private final List<String> log = new ArrayList<>();

    @Test
    void mailRunsInOrderOnOneWakeUp() {
        for (int i = 0; i < 5; i++) {
            int number = i;
            loop.execute(() -> log.add("m" + number));
        }
        assertThat(tasks).hasSize(1);
        tasks.remove().run();
        assertThat(log).containsExactly("m0", "m1", "m2", "m3", "m4");
        loop.execute(() -> log.add("later"));
        assertThat(tasks).hasSize(1);
    }

    @Test
    void aFailingTaskLeavesTheOthersAlone() {
        loop.execute(() -> {
            throw new IllegalStateException("a bug, for the test");
        });
        loop.execute(() -> log.add("next"));
        tasks.remove().run();
        assertThat(log).containsExactly("next");
    }

    @Test
    void flushesRunOnceBehindWhatTheIterationDid() {
        loop.flushLater(() -> {
            log.add("first");
            loop.flushLater(() -> log.add("nested"));
        });
        loop.flushLater(() -> log.add("second"));
        assertThat(tasks).hasSize(1);
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
        assertThat(log).containsExactly("first", "second", "nested");
    }

    @Test
    void listenersMayLeaveDuringASweep() {
        List<Listener> listeners = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Listener listener = new Listener(i % 2 == 0);
            listeners.add(listener);
            loop.addTicking(listener);
        }
        loop.sweep();
        loop.sweep();
        assertThat(listeners).extracting(listener -> listener.ticks).containsExactly(1, 2, 1, 2, 1, 2);
        assertThat(loop.tick()).isEqualTo(2);
    }

    @Test
    void nothingIsLeftWhenAllAreCut() {
        Listener early = new Listener(false);
        Listener late = new Listener(false);
        loop.addTicking(early);
        CompletableFuture<Void> none = loop.cutAll();
        tasks.remove().run();
        assertThat(early.isCut).isTrue();
        loop.addTicking(late);
        assertThat(late.isCut).isTrue();
        loop.removeTicking(early.index);
        assertThat(none).isNotDone();
        loop.removeTicking(late.index);
        assertThat(none).isDone();
    }

    @Test
    void theConnectionsThereAreAreEndedAndThoseThatStayAreCut() {
        List<Runnable> timers = new ArrayList<>();
        LoopContext ending = new LoopContext(0, tasks::add, (task, nanos) -> timers.add(task));
        Listener goes = new Listener(false);
        Listener fails = new Listener(false) {
            @Override
            public void end() {
                throw new IllegalStateException("a bug, for the test");
            }
        };
        Listener stays = new Listener(false);
        Listener late = new Listener(false);
        ending.addTicking(goes);
        ending.addTicking(fails);
        ending.addTicking(stays);
        CompletableFuture<Void> ended = ending.endPresent(1_000);
        tasks.remove().run();
        ending.addTicking(late);
        assertThat(goes.isEnded).isTrue();
        assertThat(stays.isEnded).isTrue();
        ending.removeTicking(goes.index);
        assertThat(goes.isCut || stays.isCut).isFalse();

        assertThat(timers).hasSize(1);
        timers.remove(0).run();
        assertThat(fails.isCut && stays.isCut).isTrue();
        assertThat(goes.isCut || late.isCut || late.isEnded).isFalse();
        ending.removeTicking(fails.index);
        assertThat(ended).isNotDone();
        ending.removeTicking(stays.index);
        assertThat(ended).isCompleted();
    }

    @Test
    void aLoopWithoutConnectionsHasEndedThemAtOnce() {
        CompletableFuture<Void> ended = loop.endPresent(1_000);
        tasks.remove().run();
        assertThat(ended).isCompleted();
    }

    /** With all connections of a node it would block its event loops for many seconds. */
    @Test
    void toEndConnectionsTakesNoComparisonOfEachWithEach() {
        int count = 2_000;
        AtomicInteger compared = new AtomicInteger();
        List<Listener> listeners = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Listener listener = new Listener(false) {
                @Override
                public boolean equals(Object other) {
                    compared.incrementAndGet();
                    return this == other;
                }

                @Override
                public int hashCode() {
                    return System.identityHashCode(this);
                }
            };
            listeners.add(listener);
            loop.addTicking(listener);
        }
        CompletableFuture<Void> ended = loop.endPresent(Long.MAX_VALUE / 2);
        tasks.remove().run();
        listeners.forEach(listener -> loop.removeTicking(listener.index));
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
        assertThat(ended).isCompleted();
        assertThat(compared).hasValueLessThan(10 * count);
    }

    /** Netty would end the sweep for good, and with it every time-out of the loop. */
    @Test
    void aFailingTickLeavesTheOthersAlone() {
        List<Listener> listeners = List.of(new Listener(false), new Listener(false));
        loop.addTicking(listeners.get(0));
        loop.addTicking(new Listener(false) {
            @Override
            public int onTick(int tick) {
                throw new IllegalStateException("a bug, for the test");
            }
        });
        loop.addTicking(listeners.get(1));
        loop.sweep();
        loop.sweep();
        assertThat(listeners).extracting(listener -> listener.ticks).containsExactly(2, 2);
    }

    @Test
    void anErrorEndsOneSweepOnly() {
        AtomicInteger slices = new AtomicInteger();
        LoopContext faulty = new LoopContext(0, tasks::add, (task, nanos) -> {
            if (slices.incrementAndGet() == 1) {
                throw new StackOverflowError();
            }
        });
        List<Listener> listeners = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) { // more than a slice looks at
            Listener listener = new Listener(false);
            listeners.add(listener);
            faulty.addTicking(listener);
        }
        assertThatCode(faulty::sweep).doesNotThrowAnyException();
        faulty.sweep();
        assertThat(listeners).allSatisfy(listener -> assertThat(listener.ticks).isPositive());
        assertThat(slices).as("the next sweep has slices again").hasValue(2);
    }

    private class Listener implements TickListener {
        private final boolean leaves;
        private int index;
        private int ticks;
        private boolean isEnded;
        private boolean isCut;

        private Listener(boolean leaves) {
            this.leaves = leaves;
        }

        @Override
        public void tickIndex(int place) {
            index = place;
        }

        @Override
        public int onTick(int tick) {
            ticks++;
            if (leaves) {
                loop.removeTicking(index);
            }
            return tick + 1;
        }

        @Override
        public void shutDown() {}

        @Override
        public void end() {
            isEnded = true;
        }

        @Override
        public void cut() {
            isCut = true;
        }
    }
}
