package io.godwit.inbox.expiry;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Orders things by the time of their next check. Entries are hints: the consumer ignores one that is out of date, and
 * adds the next. So no entry is removed early, and of several times for one thing only the earliest is kept. The index
 * holds only the near future, up to {@link #horizonMillis}; for later times the stored records are walked again, so
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

    /** Adds {@code what} if it is due before the horizon and has no earlier entry. */
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

    public int size() {
        return earliest.size();
    }

    public long horizonMillis() {
        return horizonMillis;
    }

    /** Moves the horizon to {@code millis}. The caller then walks the records and adds their entries. */
    public void extendTo(long millis) {
        horizonMillis = millis;
    }

    /** When the first entry comes due; {@link Long#MAX_VALUE} when empty. */
    public long firstMillis() {
        @Nullable Due<T> first = due.peek();
        return first == null ? Long.MAX_VALUE : first.atMillis;
    }

    /** Removes all entries due at {@code nowMillis}; {@code consumer} may add new ones. */
    public void drainDue(long nowMillis, Consumer<T> consumer) {
        for (Due<T> first = due.peek(); first != null && first.atMillis <= nowMillis; first = due.peek()) {
            due.remove();
            if (earliest.remove(first.what, first.atMillis)) {
                consumer.accept(first.what);
            }
        }
    }
}
