package io.godwit.api.port;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param items in the order of the list; there may be none although more come behind them, when nothing that is wanted
 *     was found in time
 * @param next where the next page goes on; null only when nothing more comes
 */
public record Page<T, K>(List<T> items, @Nullable K next) {
    public Page {
        items = List.copyOf(items);
    }
}
