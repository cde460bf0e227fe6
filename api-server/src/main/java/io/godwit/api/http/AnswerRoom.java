package io.godwit.api.http;

import java.util.HashMap;
import java.util.Map;

/**
 * Bytes of answers that are under way, over all connections: a client that reads slowly keeps its answer in memory, and
 * may have many connections. One caller has half of the room at most, or one answer that is larger. Confined to the
 * event loop.
 */
public final class AnswerRoom {
    /** An answer of as many bytes needs no room: all connections together have little of these. */
    public static final int SMALL_BYTES = 16_384;

    private static final long MOST_BYTES = 64L << 20;
    private static final int HEAP_SHARE = 16;

    private final long most;
    private long taken;
    /** By whose answers they are. */
    private final Map<String, Long> byCaller = new HashMap<>();

    AnswerRoom(long most) {
        this.most = most;
    }

    /** 64 MiB, or a sixteenth of the heap when that is less. */
    public static AnswerRoom ofHeap() {
        return new AnswerRoom(Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / HEAP_SHARE));
    }

    /**
     * Whether an answer may be sent now. An answer larger than the whole room may, while no other is under way.
     *
     * @param caller empty for nobody
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

    /** It has been sent, or its connection was closed. */
    public void give(String caller, int bytes) {
        if (bytes > SMALL_BYTES) {
            taken -= bytes;
            byCaller.computeIfPresent(caller, (name, own) -> own <= bytes ? null : own - bytes);
        }
    }
}
