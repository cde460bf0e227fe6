package io.godwit.kv.range.request;

import io.godwit.kv.range.state.RangeState;

/** A range on this node that requests are routed to. */
public interface RoutedRange {
    /** The state that requests are routed by. Any thread. */
    RangeState routed();

    RangeRequests requests();
}
