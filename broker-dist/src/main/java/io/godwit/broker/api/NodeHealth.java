package io.godwit.broker.api;

import io.godwit.api.port.cluster.HealthView;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The health of the node: whether it lives, and whether it should get clients. The answer is never older than a few
 * seconds, even while parts of the node hang:
 *
 * <ul>
 *   <li>one thread checks each second for reasons why the node does not fully serve, and may have to wait for a lock.
 *       If a check takes longer than ten seconds, the node is not ready;
 *   <li>another thread, which takes no locks, shows that threads run at all, and looks for deadlocks. If it finds one,
 *       or has not run for half a minute, the process should be restarted.
 * </ul>
 *
 * <p>With a hanging disk the node is not ready, but lives: a restart would not help. Thread-safe;
 * {@link #view} takes no lock.
 */
public final class NodeHealth implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeHealth.class);
    private static final long PERIOD_MILLIS = 1_000;
    private static final long DEADLOCK_PERIOD_MILLIS = 10_000;
    static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(10);
    static final long DEAD_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** The phase in the node's life. */
    public enum Phase {
        STARTING,
        SERVING,
        STOPPING
    }

    private final LongSupplier nanoClock;
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2, task -> {
        Thread thread = new Thread(task, "api-health");
        thread.setDaemon(true);
        return thread;
    });

    // each set by one writer, read by any thread
    private volatile Phase phase = Phase.STARTING;
    private volatile String waiting = "";
    private volatile Supplier<List<String>> lacks = List::of;
    private volatile Look last;
    private volatile long beatAt;
    private volatile List<String> deadlock = List.of();
    /** The last logged failure; empty if a check has succeeded since. */
    private volatile String failureTold = "";

    private record Look(long at, List<String> lacks) {}

    public NodeHealth() {
        this(System::nanoTime);
    }

    NodeHealth(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        last = new Look(nanoClock.getAsLong(), List.of());
        beatAt = nanoClock.getAsLong();
    }

    public void start() {
        beat();
        look();
        repeat(this::look, PERIOD_MILLIS);
        repeat(this::beat, PERIOD_MILLIS);
        repeat(this::lookForDeadlock, DEADLOCK_PERIOD_MILLIS);
    }

    /** Catches everything: an exception would silently end the executor's schedule. */
    @SuppressWarnings("FutureReturnValueIgnored") // runs until the threads are shut down
    private void repeat(Runnable task, long periodMillis) {
        Runnable lasting = () -> {
            try {
                task.run();
            } catch (RuntimeException | Error e) { // outermost frame of the thread
                tellFailure(e);
            }
        };
        threads.scheduleWithFixedDelay(lasting, periodMillis, periodMillis, TimeUnit.MILLISECONDS);
    }

    /** Logs a recurring failure once. */
    private void tellFailure(Throwable failure) {
        String text = failure.toString();
        if (!text.equals(failureTold)) {
            failureTold = text;
            LOG.warn("health not known", failure);
        }
    }

    public void phase(Phase next) {
        phase = next;
    }

    /** @param what the start waits for; empty for nothing */
    public void waiting(String what) {
        waiting = what;
    }

    /** @param supplier the reasons why the node does not fully serve, one sentence each; may wait for locks */
    public void lacks(Supplier<List<String>> supplier) {
        lacks = supplier;
    }

    /** Checks now. Waits for the locks that the supplier needs. */
    public void look() {
        long begun = nanoClock.getAsLong();
        try {
            last = new Look(begun, List.copyOf(lacks.get()));
            failureTold = "";
        } catch (RuntimeException | Error e) { // if this lasts, the node counts as not ready
            tellFailure(e);
        }
    }

    void beat() {
        beatAt = nanoClock.getAsLong();
    }

    void lookForDeadlock() {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        long[] ids = bean.findDeadlockedThreads();
        List<String> names = new ArrayList<>();
        if (ids != null) {
            for (var info : bean.getThreadInfo(ids)) {
                if (info != null) {
                    names.add(info.getThreadName());
                }
            }
        }
        if (!names.isEmpty() && !names.equals(deadlock)) {
            LOG.error("deadlock of threads threads={}", names);
        }
        deadlock = List.copyOf(names);
    }

    public HealthView view() {
        long now = nanoClock.getAsLong();
        List<String> notLive = new ArrayList<>();
        if (now - beatAt > DEAD_NANOS) {
            notLive.add("threads have not run for " + TimeUnit.NANOSECONDS.toSeconds(now - beatAt) + " seconds");
        }
        if (!deadlock.isEmpty()) {
            notLive.add("threads wait for each other for ever: " + String.join(", ", deadlock));
        }
        return new HealthView(notLive, notReady(now));
    }

    private List<String> notReady(long now) {
        return switch (phase) {
            case STARTING -> List.of(waiting.isEmpty() ? "the node starts" : "the node starts and waits: " + waiting);
            case STOPPING -> List.of("the node stops");
            case SERVING -> lacksOf(last, now);
        };
    }

    private static List<String> lacksOf(Look look, long now) {
        long age = now - look.at();
        return age > LATE_NANOS
                ? List.of("the state of the node could not be read for " + TimeUnit.NANOSECONDS.toSeconds(age)
                        + " seconds: something hangs")
                : look.lacks();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
