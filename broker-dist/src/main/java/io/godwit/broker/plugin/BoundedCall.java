package io.godwit.broker.plugin;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One call of a plugin's life cycle, on a thread that is made for it, while the caller waits, but not for ever. */
final class BoundedCall {
    private BoundedCall() {}

    /**
     * Blocks. A call that is over its time is interrupted, and left to itself if that does not help.
     *
     * @param name of the thread
     * @throws PluginCallException when it took too long, or this thread was interrupted
     * @throws ExecutionException with what the call threw
     */
    static <T> T run(String name, ClassLoader classes, Duration limit, Callable<T> call) throws ExecutionException {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.setContextClassLoader(classes);
        thread.start();
        try {
            return task.get(limit.toMillis(), TimeUnit.MILLISECONDS); // the start and the stop of a broker block
        } catch (TimeoutException e) {
            task.cancel(true);
            throw new PluginCallException("took more than " + limit.toSeconds() + " seconds", e);
        } catch (InterruptedException e) {
            task.cancel(true);
            Thread.currentThread().interrupt();
            throw new PluginCallException("was interrupted", e);
        }
    }
}
