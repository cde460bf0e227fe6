package org.example.hint;

import io.godwit.plugin.balance.AccessKind;
import io.godwit.plugin.balance.Key;
import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import io.godwit.plugin.balance.SplitHinter;
import io.godwit.plugin.balance.SplitHinterFactory;
import io.godwit.plugin.context.Plugin;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Cuts a range between two tenants, as near to the middle of its load as such a border is. */
public final class TenantBorder implements SplitHinterFactory, Plugin {
    /** Where a store's keys have the tenant. */
    private enum Keys {
        /** A version byte, the tenant, a zero byte. */
        DIST,
        /** A length byte, the tenant. */
        INBOX,
        /** As {@link #DIST}. */
        RETAIN;

        private static final byte VERSION = 1;

        /** The first key of the tenant that has {@code key}; empty for a key of another form. */
        private Optional<Key> tenantStart(byte[] key) {
            int end = this == INBOX ? afterLength(key) : afterZero(key);
            return end < 0 ? Optional.empty() : Optional.of(Key.of(Arrays.copyOf(key, end)));
        }

        private static int afterLength(byte[] key) {
            int end = key.length == 0 ? 0 : 1 + (key[0] & 0xFF);
            return end > 1 && end <= key.length ? end : -1;
        }

        private static int afterZero(byte[] key) {
            if (key.length == 0 || key[0] != VERSION) {
                return -1;
            }
            for (int i = 1; i < key.length; i++) {
                if (key[i] == 0) {
                    return i + 1;
                }
            }
            return -1;
        }
    }

    @Override
    public String name() {
        return "tenant-border";
    }

    @Override
    public Map<String, String> defaults() {
        return Map.of("keys", "", "minShare", "0.2");
    }

    /** Each call looks at a few bytes, or at the tenants counted so far. */
    @Override
    public boolean isNonBlocking() {
        return true;
    }

    @Override
    public SplitHinter create(Map<String, String> settings) {
        return new Hinter(keys(settings.get("keys")), minShare(settings.get("minShare")));
    }

    private static Keys keys(String store) {
        for (Keys keys : Keys.values()) {
            if (keys.name().toLowerCase(Locale.ROOT).equals(store)) {
                return keys;
            }
        }
        throw new IllegalArgumentException("keys: must name the store, dist, inbox or retain, was \"" + store + "\"");
    }

    private static double minShare(String text) {
        try {
            double share = Double.parseDouble(text);
            if (share >= 0.01 && share <= 0.5) {
                return share;
            }
        } catch (NumberFormatException e) {
            // refused below, like a number out of bounds
        }
        throw new IllegalArgumentException("minShare: must be 0.01 to 0.5, was " + text);
    }

    /** Counts operations by tenant since the last hint. Called by one thread at a time, so fields are plain. */
    private static final class Hinter implements SplitHinter {
        /** Bounds the memory. */
        private static final int MAX_TENANTS = 1_000;
        /** Fewer accesses say too little about the shares. */
        private static final int ENOUGH = 64;

        private final Keys keys;
        private final double minShare;
        /** Operations by the first key of their tenant. */
        private final TreeMap<Key, Long> operations = new TreeMap<>();

        private int accesses;
        private long total;

        Hinter(Keys keys, double minShare) {
            this.keys = keys;
            this.minShare = minShare;
        }

        @Override
        public void onAccess(byte[] key, AccessKind kind, int kvOperations, long nanos) {
            Optional<Key> start = keys.tenantStart(key);
            if (start.isPresent()) {
                operations.merge(counted(start.get()), (long) kvOperations, Long::sum);
                accesses++;
                total += kvOperations;
            }
        }

        /**
         * The tenant itself, or when too many are counted already its neighbour below, or the first. The share below
         * each border that may become a cut is exact all the same.
         */
        private Key counted(Key tenant) {
            if (operations.size() < MAX_TENANTS || operations.containsKey(tenant)) {
                return tenant;
            }
            Key below = operations.floorKey(tenant);
            return below == null ? operations.firstKey() : below;
        }

        @Override
        public Optional<SplitHint> hint(RangeLoad load) {
            if (accesses < ENOUGH) {
                return Optional.empty(); // what is counted is kept for the next time
            }
            SplitHint best = null;
            long below = 0;
            for (Map.Entry<Key, Long> tenant : operations.entrySet()) {
                // there is a key of the range on both sides of a border, so the border is within the range
                if (below > 0) {
                    SplitHint hint = new SplitHint(tenant.getKey(), (double) below / total);
                    if (best == null || hint.smallerShare() > best.smallerShare()) {
                        best = hint;
                    }
                }
                below += tenant.getValue();
            }
            operations.clear();
            accesses = 0;
            total = 0;
            return Optional.ofNullable(best).filter(hint -> hint.smallerShare() >= minShare);
        }
    }
}
