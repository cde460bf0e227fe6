package io.godwit.kv.client;

/**
 * Receives the durations of operations in the stores of a node: a few calls for each write to the disk, never one for
 * each mutation. Called by many threads; must return at once.
 */
public interface StoreMeasures {
    /** Ignores all measurements. */
    StoreMeasures NONE = new StoreMeasures() {
        @Override
        public void synced(long nanos) {}

        @Override
        public void committed(String store, long nanos) {}
    };

    /**
     * A write of the Raft log is on the disk.
     *
     * @param nanos since the write was begun, including the wait for earlier writes
     */
    void synced(long nanos);

    /**
     * An entry of mutations is committed and applied on its leader, on this node.
     *
     * @param nanos since the entry was given to the log
     */
    void committed(String store, long nanos);
}
