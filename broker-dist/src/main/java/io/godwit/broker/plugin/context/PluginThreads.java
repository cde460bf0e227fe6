package io.godwit.broker.plugin.context;

import java.util.IdentityHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Creates threads for a plugin's code: daemons, with its class loader as context class loader, which end when idle.
 *
 * @param plugin its name, which is in the names of the threads
 * @param classes its class loader
 * @param mark marks each task while it runs
 */
public record PluginThreads(String plugin, ClassLoader classes, CallMark mark) {
    private static final long IDLE_SECONDS = 10;

    /**
     * @param use in the names of the threads, after the name of the plugin
     * @param queue bound of waiting tasks; more are rejected
     */
    public ThreadPoolExecutor pool(String use, int threads, int queue) {
        String name = "plugin-" + plugin + "-" + use;
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(queue), task -> {
                            Thread thread = new OfHost(task, name + "-" + number.incrementAndGet());
                            thread.setDaemon(true);
                            thread.setContextClassLoader(classes);
                            return thread;
                        }) {
                    @Override
                    protected void beforeExecute(Thread thread, Runnable task) {
                        ((OfHost) thread).hasEntered = mark.enter();
                    }

                    @Override
                    protected void afterExecute(Runnable task, @Nullable Throwable thrown) {
                        mark.leave(((OfHost) Thread.currentThread()).hasEntered);
                    }
                };
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** A thread of an executor above. */
    private static final class OfHost extends Thread {
        /** Confined to this thread. */
        private boolean hasEntered;

        OfHost(Runnable task, String name) {
            super(task, name);
        }
    }

    /**
     * The number of threads that plugins have created themselves, by class loader: a thread inherits the context class
     * loader of its creator. Threads created meanwhile may be missing.
     */
    public static IdentityHashMap<ClassLoader, Integer> ownOfPlugins() {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) {
            all = all.getParent();
        }
        Thread[] threads = new Thread[all.activeCount() * 5 / 4 + 64];
        int count = all.enumerate(threads);
        IdentityHashMap<ClassLoader, Integer> own = new IdentityHashMap<>();
        for (int i = 0; i < count; i++) {
            ClassLoader classes = threads[i].getContextClassLoader();
            if (classes != null && !(threads[i] instanceof OfHost)) {
                own.merge(classes, 1, Integer::sum);
            }
        }
        return own;
    }
}
