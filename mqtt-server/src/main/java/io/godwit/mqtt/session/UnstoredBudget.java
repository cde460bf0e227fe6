package io.godwit.mqtt.session;

import java.util.ArrayList;
import java.util.List;

/**
 * One event loop's share of the node's budget for publishes that are accepted and not yet stored. Separate shares, so
 * that loops do not contend for one counter. Confined to the loop.
 */
final class UnstoredBudget {
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

    void add(long messageBytes) {
        bytes[PLACE] += messageBytes;
    }

    boolean isExceeded() {
        return bytes[PLACE] >= limitBytes;
    }

    /** {@code resume} is called once half of the budget is free again. */
    void pause(Runnable resume) {
        paused.add(resume);
    }

    void subtract(long messageBytes) {
        bytes[PLACE] -= messageBytes;
        if (bytes[PLACE] <= limitBytes / 2 && !paused.isEmpty()) {
            List<Runnable> resumed = paused;
            paused = new ArrayList<>();
            resumed.forEach(Runnable::run);
        }
    }
}
