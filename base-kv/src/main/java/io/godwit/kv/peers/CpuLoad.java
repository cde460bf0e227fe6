package io.godwit.kv.peers;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * The share of the machine's cores that this process keeps busy, 0 to 1. Any thread.
 *
 * <p>It measures this process and not the machine: balancers give nothing more to a node that is busy with its own
 * work. Other programs that run for a second, such as an operator's command, are no reason to leave ranges where they
 * are (ADR 52).
 *
 * <p>To measure, the JVM reads system files, and the balancers of every key space ask each second, so all calls within
 * half a second share one measurement. The JVM measures since its previous call, so calls in quick succession would
 * also be inaccurate.
 */
final class CpuLoad {
    /** The JVM measures only its own process. */
    static final CpuLoad OF_PROCESS = new CpuLoad(CpuLoad::look, System::nanoTime);

    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final DoubleSupplier source;
    private final LongSupplier clock;
    /** When the next measurement is due; the thread that advances it measures. */
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
            last = load > 0 ? Math.min(1, load) : 0; // negative or NaN if it is not known
        }
        return last;
    }

    private static double look() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuLoad()
                : 0;
    }
}
