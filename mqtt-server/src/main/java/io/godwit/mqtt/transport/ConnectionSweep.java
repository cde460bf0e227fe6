package io.godwit.mqtt.transport;

import io.godwit.mqtt.transport.LoopContext.TickListener;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a loop, and the pass over all of them once a second that keeps their time-outs.
 *
 * <p>Of each connection it is noted when something of it can be due at the earliest. A pass reads these notes, which
 * lie in a row, and looks at a connection itself only when it may be due: of a million at rest that takes next to
 * nothing, while to touch each of them is to wait for memory a few times. When it turns out that nothing was due, since
 * its client has sent something meanwhile, the connection says when to look at it next. So what moves a time-out back
 * writes nothing here. What begins one, or moves it forward, does: {@link #lookSoon}.
 *
 * <p>A pass goes in slices, spread over its second, so that what comes in waits for a slice at most: half a million
 * looks in one go hold a loop for a tenth of a second. A slice ends with so many looks, or so many notes read. Each
 * connection is passed once in a pass, whoever comes and goes meanwhile; those that come during a pass wait for the
 * next. A pass that a busy loop did not get done in its second is ended in one go before the next.
 *
 * <p>Confined to the loop.
 */
final class ConnectionSweep {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionSweep.class);
    /** A look takes a quarter of a microsecond where it misses the caches. */
    private static final int MOST_LOOKS = 2_048;

    /** What takes about as long to read, a few tens of microseconds, as it costs to come back for the next. */
    private static final int MOST_NOTES = 16 * MOST_LOOKS;

    /** Of the second in which a pass should be done: the rest is for timers that come late. */
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
    /** The pass goes backwards: all up to this place have yet to be passed; those behind it were, or came later. */
    private int next = NONE;
    /** The place of the one that is being looked at; {@link #NONE} when there is none, or it has left meanwhile. */
    private int lookedAt = NONE;

    private int tick;
    /** How many there were when the pass began. */
    private int passLength;

    private boolean isNextScheduled;

    /** Runs something on the loop after a while. */
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

    /** It is told its place, now and whenever that changes, and is looked at in the next pass. */
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
     * The next time that the listener at {@code place} is passed, it is looked at: something of it may be due earlier
     * than it had said.
     */
    void lookSoon(int place) {
        due[place] = tick;
    }

    /**
     * Takes the listener at {@code place} out; the last one moves there, or to where the pass stands if it was passed
     * already.
     *
     * @return what was taken out
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
            isNextScheduled = true;
            later.run(nextSlice, PASS_NANOS * (begun - next) / passLength);
        }
    }

    private void pass(int looks, int notes) {
        int end = Math.max(0, next + 1 - notes);
        int left = looks;
        while (left > 0 && findDue(end)) {
            int place = next;
            next--; // first: it may close itself, or others
            look(place);
            left--;
        }
    }

    /** Goes on to the next that may be due, not beyond {@code end}. */
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
            LOG.error("time-outs not looked at loop={} connection={}", index, listener, e);
        }
        if (lookedAt != NONE) {
            due[lookedAt] = Math.min(due[lookedAt], nextTick); // it may have asked for a look soon
            lookedAt = NONE;
        }
    }
}
