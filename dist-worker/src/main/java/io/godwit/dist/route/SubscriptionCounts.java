package io.godwit.dist.route;

/**
 * How many subscriptions an index has.
 *
 * @param live of live sessions, all of this node
 * @param liveShared of them, those to shared groups
 * @param stored of stored sessions, of all nodes
 * @param storedShared of them, those to shared groups
 * @param filters different ones, of all nodes; a shared one is the filter that its group shares
 * @param ofNodes filters of live sessions of other nodes, one for each such node
 */
public record SubscriptionCounts(
        long live, long liveShared, long stored, long storedShared, long filters, long ofNodes) {
    public static final SubscriptionCounts NONE = new SubscriptionCounts(0, 0, 0, 0, 0, 0);

    SubscriptionCounts plus(boolean isStored, boolean isShared, int change) {
        int shared = isShared ? change : 0;
        return isStored
                ? new SubscriptionCounts(live, liveShared, stored + change, storedShared + shared, filters, ofNodes)
                : new SubscriptionCounts(live + change, liveShared + shared, stored, storedShared, filters, ofNodes);
    }

    SubscriptionCounts plusOfNodes(int change) {
        return new SubscriptionCounts(live, liveShared, stored, storedShared, filters, ofNodes + change);
    }

    SubscriptionCounts plusFilters(int change) {
        return new SubscriptionCounts(live, liveShared, stored, storedShared, filters + change, ofNodes);
    }

    SubscriptionCounts plus(SubscriptionCounts other) {
        return new SubscriptionCounts(
                live + other.live,
                liveShared + other.liveShared,
                stored + other.stored,
                storedShared + other.storedShared,
                filters + other.filters,
                ofNodes + other.ofNodes);
    }

    /** Whatever kind they are of. */
    public long subscriptions() {
        return live + stored;
    }
}
