package io.godwit.mqtt.session.core;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * Limits how long publishers may wait for all slow live sessions of this node together: {@link #MOST_NANOS} in each
 * minute. Without this limit, subscribers that alternate could slow every publisher of a topic for ever.
 *
 * <p>Thread-safe. The state is atomic because sessions of all event loops change it. They rarely contend: they do so
 * when a queue becomes more than half full and when it has drained, not for each message.
 */
public final class PublisherWaits {
    static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(5);
    static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private final AtomicReference<State> state;

    PublisherWaits(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        long now = nanoTime.getAsLong();
        state = new AtomicReference<>(new State(now, now, 0, 0));
    }

    /**
     * @param usedNanos of this window, up to {@code asOf}; sessions that hold publishers at the same time count once
     * @param open number of sessions that hold publishers
     */
    private record State(long windowStart, long asOf, long usedNanos, int open) {
        State at(long now) {
            if (now - windowStart >= WINDOW_NANOS) {
                return new State(now, now, 0, open);
            }
            return new State(windowStart, now, usedNanos + (open > 0 ? now - asOf : 0), open);
        }

        State changed(int by) {
            return new State(windowStart, asOf, usedNanos, open + by);
        }
    }

    /** Asks to hold publishers for a session; if allowed, {@link #end} must follow. */
    public boolean begin() {
        while (true) {
            State before = Objects.requireNonNull(state.get());
            State now = before.at(nanoTime.getAsLong());
            if (now.usedNanos() >= MOST_NANOS) {
                return false;
            }
            if (state.compareAndSet(before, now.changed(1))) {
                return true;
            }
        }
    }

    public void end() {
        state.updateAndGet(before -> before.at(nanoTime.getAsLong()).changed(-1));
    }
}
