package io.godwit.dist.route;

import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;

/**
 * One subscription that is not shared, with its match made once and handed out by every publish. Immutable.
 *
 * @param isExclusive whether it was made as {@code $exclusive/filter}, beside which the session may have another one of
 *     the filter
 */
record Subscriber(Match match, boolean noLocal, boolean isExclusive) implements CompactTable.Keyed<Object> {
    private record ExclusiveKey(Receiver receiver) {}

    /** What a subscription of this filter and receiver has as its key. */
    static Object keyOf(Receiver receiver, boolean isExclusive) {
        return isExclusive ? new ExclusiveKey(receiver) : receiver;
    }

    @Override
    public Object key() {
        return keyOf(match.receiver(), isExclusive);
    }
}
