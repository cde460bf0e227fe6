package io.godwit.broker.plugin;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks in order and never two at a time, on the threads of another executor. Tasks throw nothing. Rejects as the
 * other does, and when too many wait. Thread-safe.
 */
final class OneByOne implements Executor {
    private final Executor threads;
    private final int most;
    /** Guarded by itself, as is what follows; contended by who hands over and who runs. */
    private final Deque<Runnable> waiting = new ArrayDeque<>(2);

    private boolean isRunning;

    /** @param most tasks that wait */
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
