package io.godwit.cluster.link.pairing;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that runs on one thread of a pool at a time, whenever it was signalled since its last run began. Each run does a
 * bounded amount, so that other tasks can run.
 */
final class SerialTask implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SerialTask.class);

    private final Executor pool;
    private final BooleanSupplier work;
    /**
     * Signals that the work has not handled yet; above 0 the task is submitted or running. Atomic: signalling threads
     * and the running thread contend for it.
     */
    private final AtomicInteger signals = new AtomicInteger();

    /** @param work returns whether there is more to do at once; if it throws, there is not */
    SerialTask(Executor pool, BooleanSupplier work) {
        this.pool = pool;
        this.work = work;
    }

    /** Runs the work soon. It sees all that the calling thread did before. Any thread. */
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
        } catch (RuntimeException | Error e) { // a failure must not keep later signals from running the work
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
