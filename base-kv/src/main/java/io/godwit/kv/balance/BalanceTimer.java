package io.godwit.kv.balance;

import java.time.Duration;

/**
 * The one thread of a balance loop and its clock. The tests have one that is moved by hand; a node adapts its timers
 * and I/O threads.
 */
public interface BalanceTimer {
    /** A clock that only advances, of any origin. */
    long nanoTime();

    /** Runs {@code task} soon; tasks run one at a time, in order. Any thread. */
    void execute(Runnable task);

    /** The same after {@code delay}. */
    void after(Duration delay, Runnable task);
}
