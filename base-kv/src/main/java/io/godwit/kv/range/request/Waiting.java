package io.godwit.kv.range.request;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.range.leader.Leadership;
import io.godwit.kv.range.leader.RouteToken;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A request for a key, on its way to the leader of the range that owns the key. */
public interface Waiting extends Expiring {
    /** The failure of a request at a replica that does not lead. */
    static RangeException notLed() {
        return new RangeException(Cause.MOVED, "not led here any more");
    }

    byte[] key();

    /**
     * The only leadership that may accept the request: any other refuses it without waiting or forwarding. Null if any
     * leadership may accept it.
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

    /** A copy of the request for another range; this one, which was never delivered, does nothing any more. */
    Waiting moved();
}
