package io.godwit.kv.store;

/**
 * Sums over the replicas of a store on this node.
 *
 * @param replicas that are open here, stopped ones included
 * @param leaders of them, those that lead and take requests
 * @param stopped of them, those that have stopped after a fault
 * @param applyLag entries that are committed and not applied yet
 * @param memtableBytes in memory, not flushed yet
 * @param tableBytes of table files
 * @param pendingCompactionBytes that compactions have to rewrite, about
 * @param heldBack replicas whose writes RocksDB slows down or stops now
 * @param stalls how often that began, since the node was opened
 */
public record StoreFigures(
        int replicas,
        int leaders,
        int stopped,
        long applyLag,
        long memtableBytes,
        long tableBytes,
        long pendingCompactionBytes,
        int heldBack,
        long stalls) {
    /** Of a store that is not open. */
    public static final StoreFigures NONE = new StoreFigures(0, 0, 0, 0, 0, 0, 0, 0, 0);
}
