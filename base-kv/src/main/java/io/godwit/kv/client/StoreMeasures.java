package io.godwit.kv.client;

/**
 * Told what takes time in the stores of a node, as often as it happens: a few times for each write to the disk, never
 * for each mutation. Called by many threads; must return at once.
 */
public interface StoreMeasures {
    /** Where nobody measures. */
    StoreMeasures NONE = new StoreMeasures() {
        @Override
        public void synced(long nanos) {}

        @Override
        public void committed(String store, long nanos) {}

        @Override
        public void led(String store) {}
    };

    /**
     * A write of the Raft log is on the disk.
     *
     * @param nanos since it was begun, with the wait for writes before it
     */
    void synced(long nanos);

    /**
     * An entry of mutations is committed and applied on its leader, on this node.
     *
     * @param nanos since it was given to the log
     */
    void committed(String store, long nanos);

    /** A replica of this node has begun to lead its range in a new term. */
    void led(String store);
}
