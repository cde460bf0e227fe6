package io.godwit.kv.range;

import io.godwit.kv.range.replica.Replica;
import io.godwit.kv.range.request.RoutedRange;
import io.godwit.kv.range.state.RangeState;

/** A range as the others of its store on this node see it, when keys pass from one to another. */
public interface Sibling extends Replica, RoutedRange {
    @Override
    RangeState routed();

    /** Before the start: it is to stand for election as soon as it runs. */
    void standFirst();

    /** As {@link StateMachineEvents#reclaimLater}. Any thread. */
    void reclaimLater();

    /** As {@link io.godwit.kv.range.change.MergeSequel#checkLeaving}. Any thread. */
    void checkLeaving();
}
