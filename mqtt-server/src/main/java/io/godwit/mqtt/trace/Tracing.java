package io.godwit.mqtt.trace;

import org.jspecify.annotations.Nullable;

/** Holds the active tracer. Read for each message: one volatile read, and nothing more without a tracer. */
public final class Tracing {
    /** Null without a trace. Volatile: set by threads that begin and end traces, read by all event loops. */
    private volatile @Nullable Tracer tracer;

    /** The active tracer; null for none. Any thread. */
    public @Nullable Tracer active() {
        return tracer;
    }

    /** Any thread. */
    public void set(@Nullable Tracer next) {
        tracer = next;
    }
}
