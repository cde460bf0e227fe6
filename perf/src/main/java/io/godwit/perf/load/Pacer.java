package io.godwit.perf.load;

import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Wakes event loops when something is due. A thread of its own, since the timers of an event loop are no finer than a
 * millisecond or two, and what is sent late by the tool's own making would be taken for the broker's latency.
 */
final class Pacer implements AutoCloseable {
    private static final long RESOLUTION_NANOS = 250_000;

    private final List<LoadLoop> loops;
    private final Thread thread = new Thread(this::run, "pacer");
    private volatile boolean isClosed;

    Pacer(List<LoadLoop> loops) {
        this.loops = List.copyOf(loops);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!isClosed) {
            long nowNanos = Time.nowNanos();
            for (LoadLoop loop : loops) {
                if (loop.isDue(nowNanos)) {
                    loop.wake();
                }
            }
            LockSupport.parkNanos(RESOLUTION_NANOS);
        }
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
    }
}
