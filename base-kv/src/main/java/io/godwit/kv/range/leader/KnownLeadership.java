package io.godwit.kv.range.leader;

import io.godwit.kv.coprocessor.RangeBounds;
import java.util.Arrays;

/**
 * The public part of a leadership. Requests may be routed by it until it ends.
 *
 * @param token the token that requests must carry
 * @param bounds the bounds of the range during the leadership
 */
public record KnownLeadership(RouteToken token, RangeBounds bounds) {
    /** Whether {@code other} has the same bounds. */
    public boolean isOf(RangeBounds other) {
        return Arrays.equals(bounds.start(), other.start()) && Arrays.equals(bounds.end(), other.end());
    }
}
