package io.godwit.inbox.carrier;

/** Runs a task once, after a delay. */
interface Timer {
    void later(long millis, Runnable task);
}
