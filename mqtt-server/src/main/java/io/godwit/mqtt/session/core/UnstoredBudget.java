package io.godwit.mqtt.session.core;

import java.util.ArrayList;
import java.util.List;

/**
 * One event loop's share of the node's budget for publishes that are accepted and not yet stored. Separate shares, so
 * that loops do not contend for one counter. Confined to the loop.
 */
public final class UnstoredBudget {
    private static final int PLACE = LoopCounts.SPACING;

    private final long limitBytes;
    /**
     * One number, at {@link #PLACE}; numbers of different loops lie in different cache lines, see {@link LoopCounts}.
     */
    private final long[] bytes = new long[PLACE + 1 + LoopCounts.SPACING];

    private List<Runnable> paused = new ArrayList<>();

    UnstoredBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    public void add(long messageBytes) {
        bytes[PLACE] += messageBytes;
    }

    public boolean isExceeded() {
        return bytes[PLACE] >= limitBytes;
    }

    /** {@code resume} is called once half of the budget is free again. */
    public void pause(Runnable resume) {
        paused.add(resume);
    }

    public void subtract(long messageBytes) {
        bytes[PLACE] -= messageBytes;
        if (bytes[PLACE] <= limitBytes / 2 && !paused.isEmpty()) {
            List<Runnable> resumed = paused;
            paused = new ArrayList<>();
            resumed.forEach(Runnable::run);
        }
    }
}
