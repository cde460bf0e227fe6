package io.godwit.broker.plugin;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that run a plugin's code: daemons, with its class loader as the context class loader; none while idle. */
final class PluginThreads {
    private static final long IDLE_SECONDS = 10;

    private PluginThreads() {}

    /**
     * @param name of the threads, a number behind it
     * @param queue tasks that may wait; more are rejected
     */
    static ThreadPoolExecutor of(String name, ClassLoader classes, int threads, int queue) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(queue), task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    thread.setContextClassLoader(classes);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }
}
