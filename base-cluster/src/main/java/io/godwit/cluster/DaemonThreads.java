package io.godwit.cluster;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes threads that do not keep the process alive, with names that tell in a thread dump what they are for. */
final class DaemonThreads {
    private DaemonThreads() {}

    /** Each is {@code name-N}. */
    static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger(); // threads are made by several at once
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
