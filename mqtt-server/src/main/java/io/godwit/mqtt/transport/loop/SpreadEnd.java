package io.godwit.mqtt.transport.loop;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Tells connections of one loop to leave, each at its time, so that all loops together end connections at an even rate.
 * Clients that leave at one moment would reach other nodes at one moment. Confined to the loop.
 */
final class SpreadEnd {
    /** @param atNanos when to end it, in the time of {@link System#nanoTime} */
    record Leaving(TickListener connection, long atNanos) {}

    private final Deque<Leaving> leaving;
    private final ConnectionSweep.Later later;
    private final LongSupplier nanoTime;

    /** @param leaving ordered by time */
    SpreadEnd(Deque<Leaving> leaving, ConnectionSweep.Later later, LongSupplier nanoTime) {
        this.leaving = leaving;
        this.later = later;
        this.nanoTime = nanoTime;
    }

    /**
     * Gives each connection its time, the first one now and the last one just before the end; the loops alternate.
     *
     * @param byLoop the connections of each loop
     * @param overNanos how long it takes in all; 0 for at once
     * @return for each loop, in the same order
     */
    static List<Deque<Leaving>> spread(List<? extends List<TickListener>> byLoop, long nowNanos, long overNanos) {
        long count = byLoop.stream().mapToLong(List::size).sum();
        List<Deque<Leaving>> spread = new ArrayList<>();
        byLoop.forEach(loop -> spread.add(new ArrayDeque<>(loop.size())));
        long told = 0;
        for (int turn = 0; told < count; turn++) {
            for (int loop = 0; loop < byLoop.size(); loop++) {
                if (turn < byLoop.get(loop).size()) {
                    // in two parts: the whole product could overflow
                    long after = overNanos / count * told + overNanos % count * told / count;
                    spread.get(loop).add(new Leaving(byLoop.get(loop).get(turn), nowNanos + after));
                    told++;
                }
            }
        }
        return spread;
    }

    /** Ends connections whose time has come, and schedules the next one. */
    void run() {
        long now = nanoTime.getAsLong();
        Leaving next = leaving.peek();
        while (next != null && next.atNanos - now <= 0) {
            leaving.remove();
            next.connection.shutDown();
            next = leaving.peek();
        }
        if (next != null) {
            later.run(this::run, next.atNanos - now);
        }
    }
}
