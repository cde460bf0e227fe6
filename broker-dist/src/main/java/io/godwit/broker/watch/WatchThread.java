package io.godwit.broker.watch;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that watches are confined to, none while nobody watches. Calls on any thread, but those of
 * {@link #add} and {@link #remove}, which are for tasks of the thread.
 */
final class WatchThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchThread.class);
    private static final long IDLE_SECONDS = 10;
    private static final long TICK_MILLIS = 500;
    /** What comes one by one is sent together. */
    private static final long SOON_MILLIS = 20;

    private final ScheduledThreadPoolExecutor executor;
    /** Of all watches, what is to be done twice a second. */
    private final IdentityHashMap<Object, Runnable> ticks = new IdentityHashMap<>();
    /** Whether a tick is to come: watches that begin and end at once must not each have one of their own. */
    private boolean isTicking;

    WatchThread() {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, "watch");
            made.setDaemon(true);
            return made;
        });
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
    }

    /** Whether it will be run; not when the node stops. */
    boolean run(Runnable task) {
        return schedule(task, 0);
    }

    /** The same, in a moment; when the node stops, nobody is left to tell. */
    void soon(Runnable task) {
        schedule(task, SOON_MILLIS);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it logs what it throws
    private boolean schedule(Runnable task, long millis) {
        try {
            executor.schedule(() -> carryOut(task), millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private static void carryOut(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) { // the thread's outermost frame
            LOG.warn("watch failed", e);
        }
    }

    /** From now on the task is run twice a second. */
    void add(Object watch, Runnable tick) {
        ticks.put(watch, tick);
        if (!isTicking) {
            isTicking = schedule(this::tick, TICK_MILLIS);
        }
    }

    /** Not any more. */
    void remove(Object watch) {
        ticks.remove(watch);
    }

    int size() {
        return ticks.size();
    }

    private void tick() {
        new ArrayList<>(ticks.values()).forEach(WatchThread::carryOut);
        isTicking = !ticks.isEmpty() && schedule(this::tick, TICK_MILLIS);
    }

    /** How many tasks wait for their time. */
    int waiting() {
        return executor.getQueue().size();
    }

    /** What waits is not begun any more. */
    @Override
    public void close() {
        executor.shutdown();
    }
}
