package io.godwit.mqtt.transport;

import io.godwit.mqtt.transport.LoopContext.TickListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a loop, and the pass over all of them once a second that keeps their time-outs.
 *
 * <p>A pass visits a slice of them at a time, spread over its second, so that what comes in waits for a slice at most: half a million in one
 * go hold a loop for a tenth of a second. Each is visited once in a pass, whoever comes and goes meanwhile; those that come during a pass
 * wait for the next. A pass that a busy loop did not get done in its second is ended in one go before the next.
 *
 * <p>Confined to the loop.
 */
final class ConnectionSweep {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionSweep.class);
    /** A visit takes a quarter of a microsecond where it misses the caches. */
    private static final int SLICE = 2_048;

    private static final long PASS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int index;
    private final int sliceLength;
    private final Later later;
    private final Runnable nextSlice = this::nextSlice;

    private final List<TickListener> listeners = new ArrayList<>();
    /** The pass goes backwards: all up to this place have yet to be visited; those behind it were, or came later. */
    private int next = -1;

    private int tick;
    private long pauseNanos;
    private boolean isNextScheduled;

    /** Runs something on the loop after a while. */
    interface Later {
        void run(Runnable task, long nanos);
    }

    ConnectionSweep(int index, Later later) {
        this(index, SLICE, later);
    }

    /** @param index the loop's, for the log */
    ConnectionSweep(int index, int sliceLength, Later later) {
        this.index = index;
        this.sliceLength = sliceLength;
        this.later = later;
    }

    boolean isEmpty() {
        return listeners.isEmpty();
    }

    /** A copy. */
    List<TickListener> listeners() {
        return List.copyOf(listeners);
    }

    /** It is told its place, now and whenever that changes. */
    void add(TickListener listener) {
        listener.tickIndex(listeners.size());
        listeners.add(listener);
    }

    /** Takes the listener at {@code place} out; the last one moves there, or to where the pass stands if it was visited already. */
    void remove(int place) {
        int end = listeners.size() - 1;
        TickListener last = listeners.remove(end);
        int hole = place;
        if (place <= next && next < end) {
            put(listeners.get(next), place);
            hole = next;
            next--;
        } else if (next == end) {
            next--;
        }
        if (hole < end) {
            put(last, hole);
        }
    }

    private void put(TickListener listener, int place) {
        listeners.set(place, listener);
        listener.tickIndex(place);
    }

    /** Begins a pass. */
    void begin(int atTick) {
        visitDownTo(0);
        tick = atTick;
        next = listeners.size() - 1;
        pauseNanos = PASS_NANOS / (listeners.size() / sliceLength + 1);
        if (!isNextScheduled) {
            nextSlice();
        }
    }

    private void nextSlice() {
        isNextScheduled = false;
        visitDownTo(Math.max(0, next - sliceLength + 1));
        if (next >= 0) {
            isNextScheduled = true;
            later.run(nextSlice, pauseNanos);
        }
    }

    private void visitDownTo(int place) {
        while (next >= place) {
            TickListener listener = listeners.get(next);
            next--; // first: it may close itself, or others
            try {
                listener.onTick(tick);
            } catch (RuntimeException | Error e) { // outermost frame: a sweep that throws is never called again
                LOG.error("time-outs not looked at loop={} connection={}", index, listener, e);
            }
        }
    }
}
