package io.godwit.kv.range;

import io.godwit.kv.client.RangeException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A request of a key, on its way to a leader of the range that owns it. */
interface Waiting extends Expiring {
    byte[] key();

    /**
     * The only leadership that may take it: otherwise it is refused, and neither waits nor is handed on. Null when any
     * may.
     */
    default @Nullable RouteToken token() {
        return null;
    }

    void deliver(Leadership leadership);

    void refuse(RangeException cause);

    /** See {@link io.godwit.kv.client.LeaderRequest#concerns}. */
    default boolean concerns(Predicate<byte[]> isOwned) {
        return false;
    }

    /** The same request for another range; this one, never delivered, does nothing any more. */
    Waiting moved();
}
