package io.godwit.kv.range.leader;

import io.godwit.plugin.balance.RangeLoad;
import io.godwit.plugin.balance.SplitHint;
import java.util.Optional;

/**
 * What a replica's leader has to do.
 *
 * @param splitHint empty when nothing speaks for a split
 */
public record MeasuredLoad(RangeLoad load, Optional<SplitHint> splitHint) {
    static final MeasuredLoad NONE = new MeasuredLoad(RangeLoad.UNKNOWN, Optional.empty());
}
