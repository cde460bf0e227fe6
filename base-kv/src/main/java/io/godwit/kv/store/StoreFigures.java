package io.godwit.kv.store;

/**
 * Sums over the replicas of a store on this node.
 *
 * @param replicas number of replicas here, including stopped ones
 * @param leaders those of them that lead and accept requests
 * @param stopped those of them that have stopped after a fault
 * @param applyLag number of entries that are committed but not applied yet
 * @param memtableBytes bytes in memory that are not flushed yet
 * @param tableBytes bytes of table files
 * @param pendingCompactionBytes estimate of the bytes that compactions still have to rewrite
 * @param heldBack replicas whose writes RocksDB slows down or stops now
 * @param stalls how often that has begun since the node was opened
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
    /** For a store that is not open. */
    public static final StoreFigures NONE = new StoreFigures(0, 0, 0, 0, 0, 0, 0, 0, 0);
}
