package io.godwit.api.port;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param items in the order of the list
 * @param next the key after which the list continues; null at its end. It may lie after the last item, and even an
 *     empty page may have one, because a search that finds little stops when its time is over. The rest of the list may
 *     turn out to be empty
 */
public record Page<T, K>(List<T> items, @Nullable K next) {
    public Page {
        items = List.copyOf(items);
    }
}
