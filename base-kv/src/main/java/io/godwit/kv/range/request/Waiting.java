package io.godwit.kv.range.request;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.range.leader.Leadership;
import io.godwit.kv.range.leader.RouteToken;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A request of a key, on its way to a leader of the range that owns it. */
public interface Waiting extends Expiring {
    /** Of one that came to a replica that does not lead. */
    static RangeException notLed() {
        return new RangeException(Cause.MOVED, "not led here any more");
    }

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
