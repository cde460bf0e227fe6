package io.godwit.inbox.expiry;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * When to look at what again. Entries are hints: one that is no longer true is ignored by whoever looks, so nothing is ever taken out early and the
 * same thing may be in here twice. Only the near future is held; {@link #horizonMillis} says up to when, and beyond it the stored records are
 * walked again, so that a million sessions with weeks to live cost no heap. Confined to its owner's thread.
 */
public final class TimeIndex<T> {
    private record Due<T>(long atMillis, T what) {}

    private final PriorityQueue<Due<T>> due = new PriorityQueue<>(Comparator.comparingLong(Due::atMillis));
    private long horizonMillis;

    /** @param horizonMillis see {@link #extendTo} */
    public TimeIndex(long horizonMillis) {
        this.horizonMillis = horizonMillis;
    }

    /** Holds {@code what} if it comes due before the horizon. */
    public void add(long atMillis, T what) {
        if (atMillis < horizonMillis) {
            due.add(new Due<>(atMillis, what));
        }
    }

    public long horizonMillis() {
        return horizonMillis;
    }

    /** From now on entries up to {@code millis} are held. The caller then walks the records and adds theirs. */
    public void extendTo(long millis) {
        horizonMillis = millis;
    }

    /** When the first entry comes due; {@link Long#MAX_VALUE} when empty. */
    public long firstMillis() {
        @Nullable Due<T> first = due.peek();
        return first == null ? Long.MAX_VALUE : first.atMillis;
    }

    /** Takes out all that is due at {@code nowMillis}. */
    public void drainDue(long nowMillis, Consumer<T> consumer) {
        for (Due<T> first = due.peek(); first != null && first.atMillis <= nowMillis; first = due.peek()) {
            due.remove();
            consumer.accept(first.what);
        }
    }
}
