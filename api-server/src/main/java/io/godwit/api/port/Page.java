package io.godwit.api.port;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param items in the order of the list
 * @param next behind which key the list goes on; null at its end. It may lie behind the last item, and a page without
 *     items may have one: a search that finds little ends when its time is over. May be given although nothing more
 *     comes
 */
public record Page<T, K>(List<T> items, @Nullable K next) {
    public Page {
        items = List.copyOf(items);
    }
}
