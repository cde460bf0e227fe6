package io.godwit.mqtt.transport;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * One event loop's room for filters of SUBSCRIBEs and UNSUBSCRIBEs that are not answered yet, over all its connections.
 * A filter has 3 bytes on the wire; decoded, and on its way to the stores, it takes a few hundred. So packets that find
 * no room wait as they were read, first come, first served ({@code ReadListener#holdsRequest}).
 *
 * <p>The room is full when {@link #MAX_FILTERS} are in it: what enters last may take more, at most one packet. Confined
 * to the loop.
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

    /** Whether the next packet has to wait. */
    boolean isFull() {
        return filters >= MAX_FILTERS || !waiting.isEmpty();
    }

    /** @param goOn run when there is room, for one packet */
    void await(Runnable goOn) {
        waiting.add(goOn);
    }

    /** The filters of a packet that is decoded; {@link #leave} is due for them. */
    public void enter(int count) {
        filters += count;
    }

    public void leave(int count) {
        filters -= count;
        if (filters < MAX_FILTERS && !waiting.isEmpty() && !isWaking) {
            isWaking = true;
            later.execute(this::wake);
        }
    }

    private void wake() {
        isWaking = false;
        for (Runnable next = waiting.poll(); next != null; next = filters < MAX_FILTERS ? waiting.poll() : null) {
            next.run();
        }
    }

    /** How many have entered and not left. */
    public long filters() {
        return filters;
    }
}
