package io.godwit.dist.route;

import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;

/** One subscription that is not shared, with its match made once and handed out by every publish. Immutable. */
record Subscriber(Match match, boolean noLocal) implements CompactTable.Keyed<Receiver> {
    @Override
    public Receiver key() {
        return match.receiver();
    }
}
