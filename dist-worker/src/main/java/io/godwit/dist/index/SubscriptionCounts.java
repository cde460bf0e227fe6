package io.godwit.dist.index;

/**
 * Number of subscriptions in an index.
 *
 * @param live of live sessions, all of this node
 * @param liveShared the shared ones of {@code live}
 * @param stored of stored sessions, of all nodes
 * @param storedShared the shared ones of {@code stored}
 * @param filters distinct filters, of all nodes; for a shared subscription the filter without its share name
 * @param ofNodes filters with live sessions on other nodes, counted once per node
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

    /** All subscriptions, live and stored. */
    public long subscriptions() {
        return live + stored;
    }
}
