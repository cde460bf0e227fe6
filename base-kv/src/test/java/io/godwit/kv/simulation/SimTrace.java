package io.godwit.kv.simulation;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * All events of a simulation as one number: two runs of a seed that differ anywhere have different numbers. The last
 * events are kept as text, to find out how a seed failed.
 */
final class SimTrace {
    private static final int KEPT = 60;
    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private final Deque<String> last = new ArrayDeque<>();
    private long hash = FNV_OFFSET;

    void add(String event) {
        for (int i = 0; i < event.length(); i++) {
            hash = (hash ^ event.charAt(i)) * FNV_PRIME;
        }
        hash = (hash ^ '\n') * FNV_PRIME;
        if (last.size() == KEPT) {
            last.remove();
        }
        last.add(event);
    }

    long hash() {
        return hash;
    }

    /** The last events, one per line. */
    @Override
    public String toString() {
        return String.join("\n", last);
    }
}
