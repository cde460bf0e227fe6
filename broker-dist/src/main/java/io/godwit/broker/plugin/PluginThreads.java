package io.godwit.broker.plugin;

import java.util.IdentityHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Threads that run a plugin's code: daemons, with its class loader as the context class loader; none while idle. */
final class PluginThreads {
    private static final long IDLE_SECONDS = 10;

    private PluginThreads() {}

    /**
     * @param name of the threads, a number behind it
     * @param queue tasks that may wait; more are rejected
     * @param mark told of each task while it runs
     */
    static ThreadPoolExecutor of(String name, ClassLoader classes, int threads, int queue, CallMark mark) {
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

    /** One of those above. */
    private static final class OfHost extends Thread {
        /** Its own. */
        private boolean hasEntered;

        OfHost(Runnable task, String name) {
            super(task, name);
        }
    }

    /**
     * How many threads plugins have made themselves, by their class loaders: a thread has the context class loader of
     * the one that made it. A few that are made meanwhile may be missing.
     */
    static IdentityHashMap<ClassLoader, Integer> ownOfPlugins() {
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
