package io.godwit.inbox.session;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs submitted tasks one at a time, in the order of submission, many in one turn; runs {@code atEnd} at the end of
 * each turn. Any thread submits. Nothing runs within {@link #submit} unless the executor does so.
 */
final class Turns {
    private static final Logger LOG = LoggerFactory.getLogger(Turns.class);
    private static final int TASKS_IN_A_TURN = 1_000;

    private final Executor executor;
    private final Runnable atEnd;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    /** Whether a turn is running or scheduled. */
    private final AtomicBoolean isScheduled = new AtomicBoolean();

    Turns(Executor executor, Runnable atEnd) {
        this.executor = executor;
        this.atEnd = atEnd;
    }

    void submit(Runnable task) {
        tasks.add(task);
        schedule();
    }

    private void schedule() {
        if (!tasks.isEmpty() && isScheduled.compareAndSet(false, true)) {
            executor.execute(this::turn);
        }
    }

    private void turn() {
        for (int i = 0; i < TASKS_IN_A_TURN; i++) {
            Runnable task = tasks.poll();
            if (task == null) {
                break;
            }
            run(task);
        }
        run(atEnd);
        isScheduled.set(false);
        schedule();
    }

    static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) { // outermost frame: the next tasks must run
            LOG.error(
                    "the directory of client ids failed at a step; a connection may have to wait for its time-out", e);
        }
    }
}
