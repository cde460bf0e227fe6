package io.godwit.api.http.gate;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Which places of the {@link AcceptGate} belong to callers with a token; at most as many as there are places.
 *
 * <p>A caller owns at most half of all places, and at most half of those of one source. All callers together leave a
 * quarter of both without an owner, so that a health check finds a place whatever callers with tokens do. When
 * the others are all owned, the caller with the most loses the place that it has not used for the longest time, if it
 * still has no fewer than the new owner then.
 *
 * <p>Not thread-safe: the lock of the gate guards it.
 *
 * @param <P> a place, compared by identity
 */
final class OwnedPlaces<P> {
    /** One part in this many stays without an owner. */
    private static final int KEPT_SHARE = 4;

    private final int most;
    private final int mostPerSource;
    private final Map<P, Owner> owners = new HashMap<>();
    /** The places of each caller, the one that was used longest ago first. */
    private final Map<String, Set<P>> byCaller = new HashMap<>();
    /** Number of places of each caller, by source. */
    private final Map<String, Map<String, Integer>> bySource = new HashMap<>();

    private record Owner(String caller, String source) {}

    /**
     * @param most places of all sources
     * @param mostPerSource of these
     */
    OwnedPlaces(int most, int mostPerSource) {
        this.most = most;
        this.mostPerSource = mostPerSource;
    }

    /**
     * A caller uses a place, and owns it from now on if it may.
     *
     * @param onLost gets a place that loses its owner for this
     * @return whether the place is owned now, by this caller or by an earlier one
     */
    boolean use(P place, String caller, String source, Consumer<P> onLost) {
        if (isUsedAgain(place)) {
            return true;
        }
        if (ofCaller(caller) >= half(most) || ofCaller(caller, source) >= half(mostPerSource)) {
            return false;
        }
        if (ofSource(source) >= ownable(mostPerSource) && !takeOne(caller, source, onLost)
                || owners.size() >= ownable(most) && !takeOne(caller, null, onLost)) {
            return false;
        }
        owners.put(place, new Owner(caller, source));
        byCaller.computeIfAbsent(caller, unknown -> new LinkedHashSet<>()).add(place);
        bySource.computeIfAbsent(source, unknown -> new HashMap<>()).merge(caller, 1, Integer::sum);
        return true;
    }

    private boolean isUsedAgain(P place) {
        Owner owner = owners.get(place);
        if (owner == null) {
            return false;
        }
        Set<P> its = byCaller.computeIfAbsent(owner.caller, unknown -> new LinkedHashSet<>());
        its.remove(place);
        its.add(place); // now the last
        return true;
    }

    private static int half(int places) {
        return Math.max(1, places / 2);
    }

    private static int ownable(int places) {
        return Math.max(1, places - Math.max(1, places / KEPT_SHARE));
    }

    private int ofCaller(String caller) {
        Set<P> its = byCaller.get(caller);
        return its == null ? 0 : its.size();
    }

    private int ofCaller(String caller, String source) {
        return bySource.getOrDefault(source, Map.of()).getOrDefault(caller, 0);
    }

    private int ofSource(String source) {
        return bySource.getOrDefault(source, Map.of()).values().stream()
                .mapToInt(count -> count)
                .sum();
    }

    /**
     * Takes a place from the caller with the most.
     *
     * @param source only places of this source count; null for all
     * @return false when no other caller has at least two more
     */
    private boolean takeOne(String caller, @Nullable String source, Consumer<P> onLost) {
        ToIntFunction<String> count = each -> source == null ? ofCaller(each) : ofCaller(each, source);
        Set<String> all = source == null
                ? byCaller.keySet()
                : bySource.getOrDefault(source, Map.of()).keySet();
        String richest = null;
        for (String each : all) {
            if (richest == null || count.applyAsInt(each) > count.applyAsInt(richest)) {
                richest = each;
            }
        }
        if (richest == null || count.applyAsInt(richest) < count.applyAsInt(caller) + 2) {
            return false;
        }
        for (P place : byCaller.getOrDefault(richest, Set.of())) {
            Owner owner = owners.get(place);
            if (source == null || owner != null && owner.source.equals(source)) {
                leave(place);
                onLost.accept(place);
                return true;
            }
        }
        return false;
    }

    /** The place has no owner any more. */
    void leave(P place) {
        Owner owner = owners.remove(place);
        if (owner == null) {
            return;
        }
        byCaller.computeIfPresent(owner.caller, (caller, its) -> {
            its.remove(place);
            return its.isEmpty() ? null : its;
        });
        bySource.computeIfPresent(owner.source, (source, counts) -> {
            counts.computeIfPresent(owner.caller, (caller, count) -> count == 1 ? null : count - 1);
            return counts.isEmpty() ? null : counts;
        });
    }
}
