package io.godwit.kv.operate;

import java.util.Collection;

/**
 * The short names of a store's ranges for operators: the first digits of their ids, as many as distinguish them all.
 * Immutable.
 */
public final class ShortNumbers {
    /** More digits than the ids of a store's first ranges have. */
    public static final int SHORTEST = 6;

    /** Number of digits of the largest id. */
    private static final int LONGEST = 19;

    private final int length;

    /** @param ids the ids of all ranges of the store */
    public ShortNumbers(Collection<Long> ids) {
        long all = ids.stream().distinct().count();
        int enough = SHORTEST;
        while (enough < LONGEST && distinct(ids, enough) < all) {
            enough++;
        }
        this.length = enough;
    }

    private static long distinct(Collection<Long> ids, int digits) {
        return ids.stream().map(id -> cut(id, digits)).distinct().count();
    }

    private static String cut(long id, int digits) {
        String text = Long.toString(id);
        return text.substring(0, Math.min(text.length(), digits));
    }

    /** The short form of an id. */
    public String of(long id) {
        return cut(id, length);
    }
}
