package io.godwit.mqtt.transport.loop;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * One event loop's budget for filters of unanswered SUBSCRIBEs and UNSUBSCRIBEs, over all its connections. A filter has
 * 3 bytes on the wire but takes a few hundred once decoded and on its way to the stores. So packets beyond the budget
 * wait undecoded, first come, first served ({@code ReadListener#holdsRequest}).
 *
 * <p>The budget is used up at {@link #MAX_FILTERS}; the last packet to enter may exceed it. Confined to the loop.
 */
public final class FilterRoom {
    public static final int MAX_FILTERS = 20_000;

    private final Executor later;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>(0);
    private long filters;
    private boolean isWaking;

    /** @param later runs tasks on the loop, not at once */
    FilterRoom(Executor later) {
        this.later = later;
    }

    /** Whether the next packet must wait. */
    public boolean isFull() {
        return filters >= MAX_FILTERS || !waiting.isEmpty();
    }

    /** @param goOn run when the budget allows one packet */
    public void await(Runnable goOn) {
        waiting.add(goOn);
    }

    /** Adds the filters of a decoded packet; {@link #leave} must follow for them. */
    public void enter(int count) {
        filters += count;
    }

    public void leave(int count) {
        filters -= count;
        wakeLater();
    }

    private void wakeLater() {
        if (filters < MAX_FILTERS && !waiting.isEmpty() && !isWaking) {
            isWaking = true;
            later.execute(this::wake);
        }
    }

    private void wake() {
        isWaking = false;
        try {
            for (Runnable next = waiting.poll(); next != null; next = filters < MAX_FILTERS ? waiting.poll() : null) {
                next.run();
            }
        } finally {
            wakeLater(); // one that throws must not keep the others waiting
        }
    }

    /** Number of filters that have entered and not left. */
    public long filters() {
        return filters;
    }
}
