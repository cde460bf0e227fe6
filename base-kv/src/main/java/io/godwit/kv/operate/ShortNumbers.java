package io.godwit.kv.operate;

import java.util.Collection;

/**
 * What operators call the ranges of a store: the first digits of their numbers, as many as tell them apart. Immutable.
 */
public final class ShortNumbers {
    /** More than the numbers of the ranges that a store begins with have. */
    public static final int SHORTEST = 6;

    /** Of the largest number. */
    private static final int LONGEST = 19;

    private final int length;

    /** @param ids of all ranges of the store */
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

    /** For people. */
    public String of(long id) {
        return cut(id, length);
    }
}
