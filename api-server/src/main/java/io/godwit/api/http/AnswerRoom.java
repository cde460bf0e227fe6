package io.godwit.api.http;

import java.util.HashMap;
import java.util.Map;

/**
 * Budget for the bytes of answers being sent, over all connections: an answer stays in memory while its client reads
 * slowly, and a client may have many connections. One caller may use half of the budget, or have one answer that is
 * larger. Confined to the event loop.
 */
public final class AnswerRoom {
    /** An answer up to this size is not charged: even one on every connection takes little memory. */
    public static final int SMALL_BYTES = 16_384;

    private static final long MOST_BYTES = 64L << 20;
    private static final int HEAP_SHARE = 16;

    private final long most;
    private long taken;
    /** Bytes charged to each caller. */
    private final Map<String, Long> byCaller = new HashMap<>();

    AnswerRoom(long most) {
        this.most = most;
    }

    /** 64 MiB, or a sixteenth of the heap when that is less. */
    public static AnswerRoom ofHeap() {
        return new AnswerRoom(Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / HEAP_SHARE));
    }

    /**
     * Whether an answer may be sent now; if so, charges it. An answer larger than the whole budget may be sent while no
     * other is under way.
     *
     * @param caller empty for an unknown caller
     */
    public boolean tryTake(String caller, int bytes) {
        if (bytes <= SMALL_BYTES) {
            return true;
        }
        if (taken > 0 && taken + bytes > most) {
            return false;
        }
        long own = byCaller.getOrDefault(caller, 0L);
        if (own > 0 && own + bytes > most / 2) {
            return false;
        }
        taken += bytes;
        byCaller.put(caller, own + bytes);
        return true;
    }

    /** Returns the bytes when the answer was sent or its connection closed. */
    public void give(String caller, int bytes) {
        if (bytes > SMALL_BYTES) {
            taken -= bytes;
            byCaller.computeIfPresent(caller, (name, own) -> own <= bytes ? null : own - bytes);
        }
    }
}
