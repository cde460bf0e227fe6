package io.godwit.kv.peers;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * The share of the machine's cores that this process keeps busy, 0 to 1. Any thread.
 *
 * <p>Of this process, not of the machine: balancers give nothing more to a node that is busy with what it has. What
 * else runs on the machine for a second, such as an operator's command, is no reason to leave ranges where they are
 * (ADR 52).
 *
 * <p>A look takes the JVM some files of the system, and every key space's balancers ask each second: all within half
 * a second share one. The JVM reckons from its last look to this one, so looks that follow each other closely would
 * tell little besides.
 */
final class CpuLoad {
    /** The JVM knows one process. */
    static final CpuLoad OF_PROCESS = new CpuLoad(CpuLoad::look, System::nanoTime);

    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final DoubleSupplier source;
    private final LongSupplier clock;
    /** When the next look is due; whoever moves it on looks. */
    private final AtomicLong dueNanos;

    private volatile double last;

    CpuLoad(DoubleSupplier source, LongSupplier clock) {
        this.source = source;
        this.clock = clock;
        this.dueNanos = new AtomicLong(clock.getAsLong());
    }

    double now() {
        long now = clock.getAsLong();
        long due = dueNanos.get();
        if (now - due >= 0 && dueNanos.compareAndSet(due, now + FRESH_NANOS)) {
            double load = source.getAsDouble();
            last = load > 0 ? Math.min(1, load) : 0; // negative, or no number, when it is not known
        }
        return last;
    }

    private static double look() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuLoad()
                : 0;
    }
}
