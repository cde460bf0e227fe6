package io.godwit.kv.range.leader;

import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import java.util.Optional;

/**
 * The measured load of a range's leader.
 *
 * @param splitHint empty if there is no reason for a split
 */
public record MeasuredLoad(RangeLoad load, Optional<SplitHint> splitHint) {
    static final MeasuredLoad NONE = new MeasuredLoad(RangeLoad.UNKNOWN, Optional.empty());
}
