package io.godwit.mqtt.transport.loop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a loop, and a pass over all of them once a second that checks their time-outs.
 *
 * <p>For each connection a note holds the earliest tick at which something may be due. A pass reads these notes, which
 * are adjacent in memory, and looks at a connection only when it may be due. This costs next to nothing for a million
 * idle connections, while touching each of them would mean several cache misses. If nothing was due, because the client
 * has sent something meanwhile, the connection returns its next tick. So extending a time-out writes nothing here, but
 * starting one or shortening it does: {@link #lookSoon}.
 *
 * <p>A pass runs in slices, spread over its second, so that incoming packets wait for one slice at most: half a million
 * looks in one go would hold a loop for a tenth of a second. A slice ends after a number of looks, or of notes read.
 * Each connection is passed once in a pass, even when others come and go; connections that arrive during a pass wait
 * for the next. If a busy loop does not finish a pass in its second, the next pass begins by finishing it in one go.
 *
 * <p>Confined to the loop.
 */
final class ConnectionSweep {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionSweep.class);
    /** A look takes a quarter of a microsecond when it misses the caches. */
    private static final int MOST_LOOKS = 2_048;

    /** Reading this many notes takes a few tens of microseconds, about as long as scheduling the next slice costs. */
    private static final int MOST_NOTES = 16 * MOST_LOOKS;

    /** The part of a second that a pass should take: the rest allows for late timers. */
    private static final long PASS_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    private static final int NONE = -1;

    private final int index;
    private final int mostLooks;
    private final int mostNotes;
    private final Later later;
    private final Runnable nextSlice = this::nextSlice;

    private final List<TickListener> listeners = new ArrayList<>();
    /** By place: no look before the pass of this tick. */
    private int[] due = {};
    /**
     * The pass goes backwards: places up to this one are still to be passed; later ones were passed, or were added
     * since.
     */
    private int next = NONE;
    /** The place of the connection being looked at; {@link #NONE} when there is none, or it has left meanwhile. */
    private int lookedAt = NONE;

    private int tick;
    /** Number of connections when the pass began. */
    private int passLength;

    private boolean isNextScheduled;

    /** Runs a task on the loop after a delay. */
    interface Later {
        void run(Runnable task, long nanos);
    }

    ConnectionSweep(int index, Later later) {
        this(index, MOST_LOOKS, MOST_NOTES, later);
    }

    /**
     * @param index the loop's, for the log
     * @param mostLooks in a slice
     * @param mostNotes read in a slice
     */
    ConnectionSweep(int index, int mostLooks, int mostNotes, Later later) {
        this.index = index;
        this.mostLooks = mostLooks;
        this.mostNotes = mostNotes;
        this.later = later;
    }

    boolean isEmpty() {
        return listeners.isEmpty();
    }

    /** A copy. */
    List<TickListener> listeners() {
        return List.copyOf(listeners);
    }

    /** Adds a listener, tells it its place, now and whenever that changes, and looks at it in the next pass. */
    void add(TickListener listener) {
        int place = listeners.size();
        if (place == due.length) {
            due = Arrays.copyOf(due, Math.max(16, place + (place >> 1)));
        }
        listener.tickIndex(place);
        listeners.add(listener);
        due[place] = tick;
    }

    /**
     * Looks at the listener at {@code place} when it is next passed: something may be due earlier than it last
     * returned.
     */
    void lookSoon(int place) {
        due[place] = tick;
    }

    /**
     * Removes the listener at {@code place}. The last listener takes its place. But if {@code place} is still to be
     * passed, the listener at the pass position takes it, and the last one takes that position.
     *
     * @return the removed listener
     */
    TickListener remove(int place) {
        TickListener removed = listeners.get(place);
        int end = listeners.size() - 1;
        int hole = place;
        if (place == lookedAt) {
            lookedAt = NONE;
        }
        if (place <= next && next < end) {
            move(next, place);
            hole = next;
            next--;
        } else if (next == end) {
            next--;
        }
        move(end, hole);
        listeners.remove(end);
        return removed;
    }

    private void move(int from, int to) {
        if (from == to) {
            return;
        }
        TickListener listener = listeners.get(from);
        listeners.set(to, listener);
        due[to] = due[from];
        if (lookedAt == from) {
            lookedAt = to;
        }
        listener.tickIndex(to);
    }

    /** Begins a pass. */
    void begin(int atTick) {
        pass(Integer.MAX_VALUE, Integer.MAX_VALUE);
        tick = atTick;
        next = listeners.size() - 1;
        passLength = listeners.size();
        if (!isNextScheduled) {
            nextSlice();
        }
    }

    private void nextSlice() {
        isNextScheduled = false;
        int begun = next;
        pass(mostLooks, mostNotes);
        if (next >= 0) {
            scheduleNext(PASS_NANOS * (begun - next) / passLength);
        }
    }

    private void scheduleNext(long nanos) {
        isNextScheduled = true;
        boolean isDone = false;
        try {
            later.run(nextSlice, nanos);
            isDone = true;
        } finally {
            if (!isDone) {
                isNextScheduled = false; // it threw, and the next pass must schedule slices again
            }
        }
    }

    private void pass(int looks, int notes) {
        int end = Math.max(0, next + 1 - notes);
        int left = looks;
        while (left > 0 && findDue(end)) {
            int place = next;
            next--; // before look(), which may close this connection or others
            look(place);
            left--;
        }
    }

    /** Advances to the next listener that may be due, not beyond {@code end}. */
    private boolean findDue(int end) {
        int[] notes = due;
        int now = tick;
        int place = next;
        while (place >= end && notes[place] > now) {
            place--;
        }
        next = place;
        return place >= end;
    }

    private void look(int place) {
        TickListener listener = listeners.get(place);
        lookedAt = place;
        due[place] = Integer.MAX_VALUE;
        int nextTick = tick + 1;
        try {
            nextTick = listener.onTick(tick);
        } catch (RuntimeException | Error e) { // outermost frame: a sweep that throws is never called again
            LOG.error("check of time-outs failed loop={} connection={}", index, listener, e);
        }
        if (lookedAt != NONE) {
            due[lookedAt] = Math.min(due[lookedAt], nextTick); // it may have called lookSoon()
            lookedAt = NONE;
        }
    }
}
