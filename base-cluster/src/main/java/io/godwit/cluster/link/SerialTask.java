package io.godwit.cluster.link;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that is run by one thread of a pool at a time, whenever it has been signalled since it began the last time. It
 * does a bounded part at once, so that others have their turn.
 */
final class SerialTask implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SerialTask.class);

    private final Executor pool;
    private final BooleanSupplier work;
    /**
     * Signals that the work has not seen; above 0 it is submitted or runs. Threads that signal and the one that runs.
     */
    private final AtomicInteger signals = new AtomicInteger();

    /** @param work returns whether there is more to do at once; when it throws there is not */
    SerialTask(Executor pool, BooleanSupplier work) {
        this.pool = pool;
        this.work = work;
    }

    /** What was done before by this thread is seen by the work. Any thread. */
    void signal() {
        if (signals.getAndIncrement() == 0) {
            submit();
        }
    }

    @Override
    public void run() {
        int seen = signals.get();
        if (isMoreToDo() || signals.addAndGet(-seen) != 0) {
            submit();
        }
    }

    private boolean isMoreToDo() {
        try {
            return work.getAsBoolean();
        } catch (RuntimeException | Error e) { // the thread's outermost frame: later signals must count
            LOG.error("work of a link failed", e);
            return false;
        }
    }

    private void submit() {
        try {
            pool.execute(this);
        } catch (RejectedExecutionException e) {
            LOG.debug("ignored: the links are closed");
        }
    }
}
