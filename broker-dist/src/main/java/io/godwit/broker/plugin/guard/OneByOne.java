package io.godwit.broker.plugin.guard;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks in order, one at a time, on the threads of another executor. Tasks must not throw. Rejects a task if the
 * other executor does, or if too many wait. Thread-safe.
 */
final class OneByOne implements Executor {
    private final Executor threads;
    private final int most;
    /** Guarded by itself, like the field below; contended by submitting and running threads. */
    private final Deque<Runnable> waiting = new ArrayDeque<>(2);

    private boolean isRunning;

    /** @param most bound of waiting tasks */
    OneByOne(Executor threads, int most) {
        this.threads = threads;
        this.most = most;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (waiting) {
            if (waiting.size() >= most) {
                throw new RejectedExecutionException(most + " tasks wait");
            }
            waiting.add(task);
            if (isRunning) {
                return;
            }
            try {
                threads.execute(this::run);
                isRunning = true;
            } catch (RuntimeException e) {
                waiting.removeLast();
                throw e;
            }
        }
    }

    private void run() {
        for (Runnable task = next(); task != null; task = next()) {
            task.run();
        }
    }

    private @Nullable Runnable next() {
        synchronized (waiting) {
            Runnable task = waiting.poll();
            isRunning = task != null;
            return task;
        }
    }
}
