package io.godwit.broker.plugin.instance;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which threads of the broker run a plugin's code, and since when. A call costs two reads of the clock; the watching
 * thread checks all threads periodically. Thread-safe.
 */
public final class InlineCalls {
    /** A call of this length counts as blocking. */
    static final long LIMIT_NANOS = 250_000_000L;
    /** A call of this length counts as slow; a single one may be due to a pause of the JVM. */
    private static final long SLOW_NANOS = 50_000_000L;
    /** As many slow calls within {@link #WINDOW_NANOS} are not explained by pauses. */
    private static final int MAX_SLOW = 10;

    private static final long WINDOW_NANOS = 10_000_000_000L;
    /** A thread that is in a call for this long is interrupted once. */
    private static final long INTERRUPT_NANOS = 2_000_000_000L;

    private final LongSupplier nanoClock;
    private final List<Slot> slots = new CopyOnWriteArrayList<>();
    private final ThreadLocal<Slot> own = ThreadLocal.withInitial(this::add);

    private long lookedNanos;

    public InlineCalls(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.lookedNanos = nanoClock.getAsLong();
    }

    /** The plugin whose code runs. */
    interface Owner {
        /** Reports that it blocks; may be called several times. */
        void blocks(String detail);

        ClassLoader classes();

        /** Its recent slow calls. */
        SlowCalls slow();
    }

    /** The number of recent slow calls. Guarded by itself; contended only by slow calls. */
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

    /** The state of one thread. */
    final class Slot {
        private final Thread thread;
        /** Null while it runs no plugin's code. Volatile: written by its thread, read by the watching thread. */
        private volatile @Nullable Owner owner;

        private volatile long beganNanos;
        private boolean isInterrupted;
        private int depth;
        private @Nullable ClassLoader before;

        private Slot(Thread thread) {
            this.thread = thread;
        }

        /** The caller must call {@link #leave} in any case. */
        private void enter(Owner of) {
            if (depth++ > 0) {
                return; // nested: a plugin's code has led to another call
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
                    Thread.interrupted(); // clears an interrupt for a call that has ended
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
                return; // it has returned
            }
            of.blocks(thread.getName() + " is in the plugin for " + nanos / 1_000_000 + " ms" + placeIn(stack, of));
            if (nanos >= INTERRUPT_NANOS) {
                interrupt(of, since);
            }
        }

        /** The innermost frame of the plugin's own code; the top of the stack if there is none. */
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

    /** Runs a plugin's code on this thread. Exceptions are passed on. */
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
     * Finds blocking calls. Called on one thread, every {@code everyNanos}; if that was late, the whole process may
     * have been suspended, and no plugin is blamed.
     */
    public void look(long everyNanos) {
        long now = nanoClock.getAsLong();
        boolean stoodStill = now - lookedNanos > 2 * everyNanos;
        lookedNanos = now;
        slots.removeIf(slot -> !slot.thread.isAlive());
        if (!stoodStill) {
            slots.forEach(slot -> slot.look(now));
        }
    }
}
