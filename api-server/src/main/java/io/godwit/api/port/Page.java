package io.godwit.api.port;

import java.util.List;

/**
 * A part of a list.
 *
 * @param items in the order of the list
 * @param hasMore whether the list goes on behind the last item. May be true although nothing more comes; false only
 *     when nothing more comes. A page without items has none behind it
 */
public record Page<T>(List<T> items, boolean hasMore) {
    public Page {
        items = List.copyOf(items);
        if (items.isEmpty() && hasMore) {
            throw new IllegalArgumentException("a page without items has no last one to go on from");
        }
    }
}
