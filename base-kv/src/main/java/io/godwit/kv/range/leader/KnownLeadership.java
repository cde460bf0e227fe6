package io.godwit.kv.range.leader;

import io.godwit.kv.coprocessor.RangeBounds;
import java.util.Arrays;

/**
 * What others may know of a leadership. Requests may be routed by it until it ends.
 *
 * @param token what they are to carry
 * @param bounds of the range for all its time
 */
public record KnownLeadership(RouteToken token, RangeBounds bounds) {
    /** Whether these are its bounds. */
    public boolean isOf(RangeBounds other) {
        return Arrays.equals(bounds.start(), other.start()) && Arrays.equals(bounds.end(), other.end());
    }
}
