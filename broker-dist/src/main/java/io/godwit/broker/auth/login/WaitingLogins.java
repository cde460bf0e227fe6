package io.godwit.broker.auth.login;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Logins that wait for a thread, in one queue per source. Sources are served in turn, so that nobody waits behind
 * another's flood. One source may fill all places while nobody else wants one; then its newest logins give way until no
 * source has more than its share.
 *
 * <p>Many sources together could still fill all places. So sources that have proved a right password or token before
 * are kept apart from the others: each of these two sides may claim half the places and every other turn. However many
 * strangers come, proven sources still get in.
 *
 * <p>Guarded by its own lock: every event loop adds, the threads that check take, and each holds the lock for a few
 * table operations.
 */
final class WaitingLogins<T> {
    /** How many proven sources are stored, about 100 bytes each; beyond that the least recently used are forgotten. */
    static final int MAX_PROVEN = 32_768;

    private final int places;
    private final Map<Long, Line<T>> lines = new HashMap<>();
    private final Side<T> proven;
    private final Side<T> others;
    private final Map<Long, Boolean> provenSources = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > MAX_PROVEN;
        }
    };
    private boolean isProvenNext = true;

    /** The queue of one source. */
    private static final class Line<T> {
        private final long source;
        private final Side<T> side;
        private final ArrayDeque<T> waiting = new ArrayDeque<>(2);

        Line(long source, Side<T> side) {
            this.source = source;
            this.side = side;
        }
    }

    /** Sources that share places and turns. */
    private static final class Side<T> {
        /** The places that this side may claim. */
        private final int places;
        /** Non-empty queues, in the order of their turns. */
        private final ArrayDeque<Line<T>> turns = new ArrayDeque<>();
        /** The same queues, the longest last. */
        private final TreeSet<Line<T>> byLength = new TreeSet<>(
                Comparator.<Line<T>>comparingInt(line -> line.waiting.size()).thenComparingLong(line -> line.source));

        private int count;

        Side(int places) {
            this.places = places;
        }
    }

    /** @param places at least 1 */
    WaitingLogins(int places) {
        this.places = places;
        this.proven = new Side<>(places - places / 2);
        this.others = new Side<>(places / 2);
    }

    /** A right password or token came from {@code source}: from now on it belongs to the proven side. */
    synchronized void proved(long source) {
        provenSources.put(source, true);
    }

    /**
     * Adds a login.
     *
     * @return the login that is refused: {@code login} itself or one that it displaces; null if there was a free place
     */
    synchronized @Nullable T add(long source, T login) {
        Line<T> own = lines.get(source);
        Side<T> side = own != null ? own.side : provenSources.get(source) != null ? proven : others;
        T displaced = null;
        if (proven.count + others.count == places) {
            Side<T> other = side == proven ? others : proven;
            if (other.count > other.places) {
                displaced = takeNewest(other.byLength.last());
            } else if (hasMoreThan(side, (own == null ? 0 : own.waiting.size()) + 1)) {
                displaced = takeNewest(side.byLength.last());
            } else {
                return login;
            }
        }
        if (own == null) {
            own = new Line<>(source, side);
            lines.put(source, own);
            side.turns.add(own);
        } else {
            side.byLength.remove(own);
        }
        own.waiting.add(login);
        side.byLength.add(own);
        side.count++;
        return displaced;
    }

    private static boolean hasMoreThan(Side<?> side, int waiting) {
        return !side.byLength.isEmpty() && side.byLength.last().waiting.size() > waiting;
    }

    private @Nullable T takeNewest(Line<T> line) {
        Side<T> side = line.side;
        side.byLength.remove(line);
        T login = line.waiting.pollLast();
        side.count--;
        if (line.waiting.isEmpty()) {
            side.turns.remove(line); // linear, but then no source of that side has another login
            lines.remove(line.source);
        } else {
            side.byLength.add(line);
        }
        return login;
    }

    /** The login whose turn it is; null if none waits. */
    synchronized @Nullable T next() {
        Side<T> side = isProvenNext ? proven : others;
        if (side.count == 0) {
            side = side == proven ? others : proven;
        }
        isProvenNext = side == others;
        Line<T> line = side.turns.poll();
        if (line == null) {
            return null;
        }
        side.byLength.remove(line);
        T login = line.waiting.poll();
        side.count--;
        if (line.waiting.isEmpty()) {
            lines.remove(line.source);
        } else {
            side.turns.add(line);
            side.byLength.add(line);
        }
        return login;
    }
}
