package io.godwit.mqtt.session;

import java.util.ArrayList;
import java.util.List;

/**
 * One event loop's share of the node's budget for publishes that are taken in and not yet stored. Shares instead of one
 * counter, so that loops do not meet on it. Confined to the loop.
 */
final class UnstoredBudget {
    private final long limitBytes;
    private long bytes;
    private List<Runnable> paused = new ArrayList<>();

    UnstoredBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    void add(long messageBytes) {
        bytes += messageBytes;
    }

    boolean isExceeded() {
        return bytes >= limitBytes;
    }

    /** {@code resume} is called once half of the budget is free again. */
    void pause(Runnable resume) {
        paused.add(resume);
    }

    void subtract(long messageBytes) {
        bytes -= messageBytes;
        if (bytes <= limitBytes / 2 && !paused.isEmpty()) {
            List<Runnable> resumed = paused;
            paused = new ArrayList<>();
            resumed.forEach(Runnable::run);
        }
    }
}
