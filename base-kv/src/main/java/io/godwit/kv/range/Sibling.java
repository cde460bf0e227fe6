package io.godwit.kv.range;

import io.godwit.kv.range.replica.Replica;
import io.godwit.kv.range.request.RoutedRange;
import io.godwit.kv.range.state.RangeState;

/** A range as other ranges of its store on this node see it, when keys move from one to another. */
public interface Sibling extends Replica, RoutedRange {
    @Override
    RangeState routed();

    /** Called before the start: the replica stands for election as soon as it runs. */
    void standFirst();

    /** See {@link StateMachineEvents#reclaimLater}. Any thread. */
    void reclaimLater();

    /** See {@link io.godwit.kv.range.change.MergeSequel#checkLeaving}. Any thread. */
    void checkLeaving();
}
