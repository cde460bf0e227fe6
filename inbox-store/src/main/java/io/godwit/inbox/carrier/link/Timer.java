package io.godwit.inbox.carrier.link;

/** Runs a task once, after a delay. */
public interface Timer {
    void later(long millis, Runnable task);
}
