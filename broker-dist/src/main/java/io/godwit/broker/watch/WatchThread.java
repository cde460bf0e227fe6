package io.godwit.broker.watch;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that watches are confined to; it exists only while there are watches. Any thread may call, except {@link
 * #add} and {@link #remove}, which are for tasks on this thread.
 */
final class WatchThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchThread.class);
    private static final long IDLE_SECONDS = 10;
    private static final long TICK_MILLIS = 500;
    /** Collects single entries, so that they are sent together. */
    private static final long SOON_MILLIS = 20;

    private final ScheduledThreadPoolExecutor executor;
    /** The tasks to run twice a second, by watch. */
    private final IdentityHashMap<Object, Runnable> ticks = new IdentityHashMap<>();
    /** Whether a tick is scheduled, so that watches that begin at once share one. */
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

    /** @return whether the task will run; false when the node stops */
    boolean run(Runnable task) {
        return schedule(task, 0);
    }

    /** Runs the task after a short delay, or not at all when the node stops. */
    void soon(Runnable task) {
        schedule(task, SOON_MILLIS);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // carryOut logs all exceptions
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

    /** Runs the task twice a second from now on. */
    void add(Object watch, Runnable tick) {
        ticks.put(watch, tick);
        if (!isTicking) {
            isTicking = schedule(this::tick, TICK_MILLIS);
        }
    }

    /** Ends the runs of a watch's task. */
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

    /** The number of scheduled tasks. */
    int waiting() {
        return executor.getQueue().size();
    }

    /** Tasks that have not begun are dropped. */
    @Override
    public void close() {
        executor.shutdown();
    }
}
