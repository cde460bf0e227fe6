package io.godwit.broker.plugin.context;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the running calls of one plugin, in its record of the file of {@code RunningCalls}. Costs two additions in
 * memory per call; does nothing before the file exists. Thread-safe.
 */
public final class CallMark {
    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    /** Volatile: set once, by the thread that starts the broker; used by all threads that call the plugin. */
    private volatile @Nullable ByteBuffer calls;

    /** @param record begins with an aligned integer of the file */
    public void attach(ByteBuffer record) {
        calls = record;
    }

    /**
     * Notes the begin of a call.
     *
     * @return to be passed to {@link #leave}
     */
    public boolean enter() {
        ByteBuffer to = calls;
        if (to == null) {
            return false;
        }
        add(to, 1);
        return true;
    }

    /** Notes the end of a call, however it ended. */
    public void leave(boolean hasEntered) {
        ByteBuffer to = calls;
        if (hasEntered && to != null) {
            add(to, -1);
        }
    }

    private void add(ByteBuffer to, int number) {
        try {
            INTS.getAndAdd(to, 0, number);
        } catch (InternalError e) { // the file or its disk is gone: stop counting
            calls = null;
        }
    }
}
