package io.godwit.broker.plugin;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which threads of the broker are in a plugin's code, since when. A call costs two reads of the clock; who watches
 * looks at all of them from time to time. Thread-safe.
 */
final class InlineCalls {
    /** From when on a call blocks. */
    static final long LIMIT_NANOS = 250_000_000L;
    /** A call that takes so long is slow; one may be so by a pause of the JVM. */
    private static final long SLOW_NANOS = 50_000_000L;
    /** So many of them within {@link #WINDOW_NANOS} are no pause any more. */
    private static final int MAX_SLOW = 10;

    private static final long WINDOW_NANOS = 10_000_000_000L;
    /** A thread that is in there for so long is interrupted, once. */
    private static final long INTERRUPT_NANOS = 2_000_000_000L;

    private final LongSupplier nanoClock;
    private final List<Slot> slots = new CopyOnWriteArrayList<>();
    private final ThreadLocal<Slot> own = ThreadLocal.withInitial(this::add);

    private long lookedNanos;

    InlineCalls(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.lookedNanos = nanoClock.getAsLong();
    }

    /** Whose code it is. */
    interface Owner {
        /** Blocks; may be told several times. */
        void blocks(String detail);

        ClassLoader classes();

        /** When slow calls began to be counted, and how many there were. */
        SlowCalls slow();
    }

    /** Slow calls of late. Guarded by itself; contended by slow calls only. */
    static final class SlowCalls {
        private long sinceNanos;
        private int count;

        synchronized boolean isTooMany(long nowNanos) {
            if (count == 0 || nowNanos - sinceNanos > WINDOW_NANOS) {
                sinceNanos = nowNanos;
                count = 0;
            }
            return ++count >= MAX_SLOW;
        }
    }

    /** Of one thread. */
    final class Slot {
        private final Thread thread;
        /** Null while it is in no plugin's code. Volatile: written by its thread, read by who watches. */
        private volatile @Nullable Owner owner;

        private volatile long beganNanos;
        private boolean isInterrupted;
        private int depth;
        private @Nullable ClassLoader before;

        private Slot(Thread thread) {
            this.thread = thread;
        }

        /** Whoever calls this calls {@link #leave}, come what may. */
        private void enter(Owner of) {
            if (depth++ > 0) {
                return; // out of a plugin's code back into one
            }
            before = thread.getContextClassLoader();
            thread.setContextClassLoader(of.classes());
            beganNanos = nanoClock.getAsLong();
            owner = of;
        }

        private void leave() {
            if (--depth > 0) {
                return;
            }
            Owner of = owner;
            long tookNanos = nanoClock.getAsLong() - beganNanos;
            synchronized (this) {
                owner = null;
                if (isInterrupted) {
                    isInterrupted = false;
                    Thread.interrupted(); // what it was for is over
                }
            }
            thread.setContextClassLoader(before);
            if (of != null && tookNanos > SLOW_NANOS && of.slow().isTooMany(nanoClock.getAsLong())) {
                of.blocks(MAX_SLOW + " calls took more than 50 ms each within 10 s");
            }
        }

        private void look(long nowNanos) {
            Owner of = owner;
            long since = beganNanos;
            long nanos = nowNanos - since;
            if (of == null || nanos < LIMIT_NANOS) {
                return;
            }
            StackTraceElement[] stack = thread.getStackTrace();
            if (owner != of || beganNanos != since) {
                return; // it has come back
            }
            of.blocks(thread.getName() + " is in there for " + nanos / 1_000_000 + " ms" + placeIn(stack, of));
            if (nanos >= INTERRUPT_NANOS) {
                interrupt(of, since);
            }
        }

        /** The plugin's own code, if it can be told. */
        private static String placeIn(StackTraceElement[] stack, Owner of) {
            for (StackTraceElement frame : stack) {
                if (frame.getClassLoaderName() != null
                        && frame.getClassLoaderName().equals(of.classes().getName())) {
                    return ", at " + frame;
                }
            }
            return stack.length == 0 ? "" : ", at " + stack[0];
        }

        private synchronized void interrupt(Owner of, long since) {
            if (owner == of && beganNanos == since && !isInterrupted) {
                isInterrupted = true;
                thread.interrupt();
            }
        }
    }

    private Slot add() {
        Slot slot = new Slot(Thread.currentThread());
        slots.add(slot);
        return slot;
    }

    /** Runs a plugin's code on this thread. What it throws goes on. */
    <T> T run(Owner owner, Supplier<T> call) {
        Slot slot = own.get();
        slot.enter(owner);
        try {
            return call.get();
        } finally {
            slot.leave();
        }
    }

    /**
     * Finds who blocks. On one thread, every {@code everyNanos}; when that one is late, the whole process may have
     * stood still, and nobody is blamed.
     */
    void look(long everyNanos) {
        long now = nanoClock.getAsLong();
        boolean stoodStill = now - lookedNanos > 2 * everyNanos;
        lookedNanos = now;
        slots.removeIf(slot -> !slot.thread.isAlive());
        if (!stoodStill) {
            slots.forEach(slot -> slot.look(now));
        }
    }
}
