package io.godwit.kv.balance;

import java.time.Duration;

/**
 * The thread and the clock of a balance loop. Tests have a clock that is moved by hand; a node uses its timers and I/O
 * threads.
 */
public interface BalanceTimer {
    /** A monotonic clock of any origin. */
    long nanoTime();

    /** Runs {@code task} soon; tasks run one at a time, in order. Any thread. */
    void execute(Runnable task);

    /** Runs {@code task} after {@code delay}, like {@link #execute}. */
    void after(Duration delay, Runnable task);
}
