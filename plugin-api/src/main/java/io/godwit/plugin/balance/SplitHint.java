package io.godwit.plugin.balance;

/**
 * Where a range could be cut so that its load is shared.
 *
 * @param key first key of the right part; not empty
 * @param shareBelow share of the load below {@code key}: 0 to 1
 */
public record SplitHint(Key key, double shareBelow) {
    public SplitHint {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("nothing lies below the empty key");
        }
        if (!(shareBelow >= 0 && shareBelow <= 1)) {
            throw new IllegalArgumentException("shareBelow is " + shareBelow + ", expected 0 to 1");
        }
    }

    /** The smaller part's share of the load: 0 to 0.5. */
    public double smallerShare() {
        return Math.min(shareBelow, 1 - shareBelow);
    }
}
