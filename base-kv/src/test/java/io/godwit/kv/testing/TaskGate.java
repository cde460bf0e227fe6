package io.godwit.kv.testing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;

/** Hands tasks to the queue of an {@link InMemoryRangeHost}, or holds them for a while. On the thread of the test. */
final class TaskGate {
    private final Queue<Runnable> queue;
    private final Deque<Runnable> held = new ArrayDeque<>();
    private boolean isHolding;

    TaskGate(Queue<Runnable> queue) {
        this.queue = queue;
    }

    void add(Runnable task) {
        if (isHolding) {
            held.add(task);
        } else {
            queue.add(task);
        }
    }

    /** From now on tasks wait. */
    void hold() {
        isHolding = true;
    }

    /** Queues what was held, and later tasks at once. */
    void release() {
        open();
        queue.addAll(held);
        held.clear();
    }

    /** Queues later tasks at once. */
    void open() {
        isHolding = false;
    }

    void dropHeld() {
        held.clear();
    }
}
