package io.godwit.api.http;

/**
 * Bytes of answers that are under way, over all connections: a client that reads slowly keeps its answer in memory, and
 * may have many connections. Confined to the event loop.
 */
public final class AnswerRoom {
    /** An answer of as many bytes needs no room: all connections together have little of these. */
    public static final int SMALL_BYTES = 16_384;

    private static final long MOST_BYTES = 64L << 20;
    private static final int HEAP_SHARE = 16;

    private final long most;
    private long taken;

    AnswerRoom(long most) {
        this.most = most;
    }

    /** 64 MiB, or a sixteenth of the heap when that is less. */
    public static AnswerRoom ofHeap() {
        return new AnswerRoom(Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / HEAP_SHARE));
    }

    /** Whether an answer may be sent now. An answer larger than the whole room may, while no other is under way. */
    public boolean tryTake(int bytes) {
        if (bytes <= SMALL_BYTES) {
            return true;
        }
        if (taken > 0 && taken + bytes > most) {
            return false;
        }
        taken += bytes;
        return true;
    }

    /** It has been sent, or its connection was closed. */
    public void give(int bytes) {
        if (bytes > SMALL_BYTES) {
            taken -= bytes;
        }
    }
}
