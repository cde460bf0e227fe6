package io.godwit.perf.load.client;

import io.godwit.perf.load.measure.Time;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Wakes event loops when something is due. It has a thread of its own, as timers of an event loop have a resolution of
 * one or two milliseconds only, and messages that the tool sends late would count as the broker's latency.
 */
public final class Pacer implements AutoCloseable {
    private static final long RESOLUTION_NANOS = 250_000;

    private final List<LoadLoop> loops;
    private final Thread thread = new Thread(this::run, "pacer");
    private volatile boolean isClosed;

    public Pacer(List<LoadLoop> loops) {
        this.loops = List.copyOf(loops);
        thread.setDaemon(true);
    }

    public void start() {
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
