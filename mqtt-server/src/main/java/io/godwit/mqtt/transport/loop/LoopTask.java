package io.godwit.mqtt.transport.loop;

import org.jspecify.annotations.Nullable;

/**
 * A task for an event loop. It is itself the link of the loop's mail list, so that posting it allocates nothing more;
 * it may be posted again only after it has run.
 */
public abstract class LoopTask {
    /** The task posted before this one; owned by {@link LoopContext}. */
    @Nullable
    LoopTask older;

    /** Runs on the loop. */
    protected abstract void run();
}
