package io.godwit.dist.peer;

import java.time.Duration;

/** Runs things later, one after the other. */
@FunctionalInterface
public interface PeerTimers {
    /** Runs {@code task}, which may take some milliseconds, after {@code delay}; not at all once all is closed. */
    void after(Duration delay, Runnable task);
}
