package io.godwit.kv.range.replica;

import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * Runs the tasks of one range, one at a time and in order, on a pool shared with the other ranges. Tasks are drained in
 * batches. After each batch {@code afterBatch} runs, which sends what the tasks have collected.
 */
public final class RangeExecutor implements Executor {
    /** After this many tasks another range gets the thread. */
    private static final int MAX_BATCH = 1024;

    private final Executor pool;
    private final Consumer<Throwable> onFailure;
    private final Queue<Runnable> tasks = new MpscUnboundedArrayQueue<>(256);
    /** Producers contend to schedule the range; the one that sets it to true passes the range to the pool. */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private final Runnable drain = this::drain;
    private Runnable afterBatch = () -> {};

    /** @param onFailure gets what a task throws, on the executor; later tasks still run */
    public RangeExecutor(Executor pool, Consumer<Throwable> onFailure) {
        this.pool = pool;
        this.onFailure = onFailure;
    }

    /** Must be set before the first task. */
    public void afterBatch(Runnable hook) {
        this.afterBatch = hook;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            dispatch();
        }
    }

    private void dispatch() {
        try {
            pool.execute(drain);
        } catch (RejectedExecutionException e) {
            // the pool has ended and the range is closed: the remaining tasks only refuse, which may be done here
            drain();
        }
    }

    private void drain() {
        for (int done = 0; done < MAX_BATCH; done++) {
            Runnable task = tasks.poll();
            if (task == null) {
                break;
            }
            run(task);
        }
        run(afterBatch);
        scheduled.set(false);
        if (!tasks.isEmpty() && scheduled.compareAndSet(false, true)) {
            dispatch();
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) { // outermost frame of the range
            onFailure.accept(e);
        }
    }
}
