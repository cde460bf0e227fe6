package io.godwit.cluster.thread;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes daemon threads, which do not keep the process alive, with names that show their purpose in a thread dump. */
public final class DaemonThreads {
    private DaemonThreads() {}

    /** The threads are named {@code name-N}. */
    public static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger(); // several threads call the factory
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
