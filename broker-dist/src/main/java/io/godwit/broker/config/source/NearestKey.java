package io.godwit.broker.config.source;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** Finds the valid key that a mistyped one probably stands for. */
public final class NearestKey {
    private static final LevenshteinDistance DISTANCE = LevenshteinDistance.getDefaultInstance();

    private NearestKey() {}

    /**
     * The valid key with the smallest edit distance from {@code unknown}; among equals the first in alphabetical order.
     * {@code valid} must not be empty.
     */
    public static String of(String unknown, Collection<String> valid) {
        return valid.stream()
                .min(Comparator.<String>comparingInt(key -> distance(unknown, key))
                        .thenComparing(Comparator.naturalOrder()))
                .orElseThrow();
    }

    /** The edit distance, ignoring case. A key whose last part agrees counts as near, wherever it is. */
    private static int distance(String unknown, String key) {
        int whole = DISTANCE.apply(lower(unknown), lower(key));
        int leaf = 1 + DISTANCE.apply(lower(leaf(unknown)), lower(leaf(key)));
        return Math.min(whole, leaf + (leaf <= 2 ? 0 : key.length()));
    }

    private static String leaf(String key) {
        return key.substring(key.lastIndexOf('.') + 1);
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }
}
