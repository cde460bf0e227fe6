package io.godwit.broker.plugin.instance;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One life-cycle call of a plugin, on a thread of its own. The caller waits, up to a limit. */
public final class BoundedCall {
    private BoundedCall() {}

    /**
     * Blocks. A call that exceeds its limit is interrupted, and abandoned if that does not help.
     *
     * @param name of the thread
     * @throws PluginCallException when it took too long, or this thread was interrupted
     * @throws ExecutionException with the exception of the call
     */
    public static <T> T run(String name, ClassLoader classes, Duration limit, Callable<T> call)
            throws ExecutionException {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.setContextClassLoader(classes);
        thread.start();
        try {
            return task.get(limit.toMillis(), TimeUnit.MILLISECONDS); // only starts and stops of the broker wait
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
