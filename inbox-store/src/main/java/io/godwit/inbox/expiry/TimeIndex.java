package io.godwit.inbox.expiry;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * When to look at what again. Entries are hints: one that is no longer true is ignored by whoever looks, who then adds
 * the next. So nothing is ever taken out early, and of several times for one thing only the earliest is kept. Only the
 * near future is held; {@link #horizonMillis} says up to when, and beyond it the stored records are walked again, so
 * that a million sessions with weeks to live cost no heap. Confined to its owner's thread.
 */
public final class TimeIndex<T> {
    private record Due<T>(long atMillis, T what) {}

    private final PriorityQueue<Due<T>> due = new PriorityQueue<>(Comparator.comparingLong(Due::atMillis));
    private final Map<T, Long> earliest = new HashMap<>();
    private long horizonMillis;

    /** @param horizonMillis see {@link #extendTo} */
    public TimeIndex(long horizonMillis) {
        this.horizonMillis = horizonMillis;
    }

    /** Holds {@code what} if it comes due before the horizon, and is not held for an earlier time. */
    public void add(long atMillis, T what) {
        if (atMillis >= horizonMillis) {
            return;
        }
        Long known = earliest.get(what);
        if (known == null || atMillis < known) {
            earliest.put(what, atMillis);
            due.add(new Due<>(atMillis, what));
        }
    }

    /** How many things are held. */
    public int size() {
        return earliest.size();
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

    /** Takes out all that is due at {@code nowMillis}; {@code consumer} may add. */
    public void drainDue(long nowMillis, Consumer<T> consumer) {
        for (Due<T> first = due.peek(); first != null && first.atMillis <= nowMillis; first = due.peek()) {
            due.remove();
            if (earliest.remove(first.what, first.atMillis)) {
                consumer.accept(first.what);
            }
        }
    }
}
