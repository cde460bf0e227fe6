package io.godwit.dist.index;

import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.index.compact.CompactTable;

/**
 * One subscription that is not shared, with its match, which all publishes share. Immutable.
 *
 * @param isExclusive whether it was made as {@code $exclusive/filter}; the session may also have a plain one of the
 *     filter
 */
record Subscriber(Match match, boolean noLocal, boolean isExclusive) implements CompactTable.Keyed<Object> {
    private record ExclusiveKey(Receiver receiver) {}

    /** The key of a subscription in a {@link CompactTable}. */
    static Object keyOf(Receiver receiver, boolean isExclusive) {
        return isExclusive ? new ExclusiveKey(receiver) : receiver;
    }

    @Override
    public Object key() {
        return keyOf(match.receiver(), isExclusive);
    }
}
