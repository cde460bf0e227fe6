package io.godwit.kv.range.request;

/** Something that must be answered by a point in time. Confined to the range executor, but for its construction. */
interface Expiring {
    boolean isDone();

    /** On the clock of {@link System#nanoTime()}. */
    long deadlineNanos();

    void expire();
}
