package io.godwit.dist.peer.link;

import java.time.Duration;

/** Runs tasks later, one after the other. */
@FunctionalInterface
public interface PeerTimers {
    /** Runs {@code task}, which may take some milliseconds, after {@code delay}; never once the timers are closed. */
    void after(Duration delay, Runnable task);
}
