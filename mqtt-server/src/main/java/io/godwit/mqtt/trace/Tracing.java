package io.godwit.mqtt.trace;

import org.jspecify.annotations.Nullable;

/** Whether anything is traced. Asked on the way of each message: one volatile read, and nothing more while not. */
public final class Tracing {
    /** Null while nothing is. Volatile: set by whoever begins and ends traces, read by all event loops. */
    private volatile @Nullable Tracer tracer;

    /** Who is to be told now; null for nobody. Any thread. */
    public @Nullable Tracer active() {
        return tracer;
    }

    /** Any thread. */
    public void set(@Nullable Tracer next) {
        tracer = next;
    }
}
