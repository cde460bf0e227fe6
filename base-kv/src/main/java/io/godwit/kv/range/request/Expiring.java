package io.godwit.kv.range.request;

/** A request with a deadline. Confined to the range executor, except its construction. */
interface Expiring {
    boolean isDone();

    /** By the clock of {@link System#nanoTime()}. */
    long deadlineNanos();

    void expire();
}
