package io.godwit.broker.plugin;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the calls of one plugin that run, in its record of the file of {@link RunningCalls}. Two additions in memory
 * for a call; nothing before the file is there. Thread-safe.
 */
final class CallMark {
    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    /** Volatile: set once, by the thread that starts the broker; used by all that call the plugin. */
    private volatile @Nullable ByteBuffer calls;

    /** @param record an integer of the file, aligned */
    void attach(ByteBuffer record) {
        calls = record;
    }

    /**
     * A call begins.
     *
     * @return to be handed to {@link #leave}
     */
    boolean enter() {
        ByteBuffer to = calls;
        if (to == null) {
            return false;
        }
        add(to, 1);
        return true;
    }

    /** The call is over, come what may. */
    void leave(boolean hasEntered) {
        ByteBuffer to = calls;
        if (hasEntered && to != null) {
            add(to, -1);
        }
    }

    private void add(ByteBuffer to, int number) {
        try {
            INTS.getAndAdd(to, 0, number);
        } catch (InternalError e) { // the file is no more, or its disk: nothing is noted any more
            calls = null;
        }
    }
}
