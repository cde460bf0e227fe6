package io.godwit.kv.store;

/**
 * How a store is.
 *
 * @param detail why, for an operator; empty while serving
 */
public record StoreHealth(State state, String detail) {
    /** From bad to worse. */
    public enum State {
        SERVING,
        /** Not all ranges have had a leader yet. */
        STARTING,
        /** Mutations that add data are refused because free disk is below the low-water mark. */
        READ_ONLY,
        /** Ranges have no leader: what concerns their keys waits, and is refused in the end. It heals by itself. */
        NO_QUORUM,
        /**
         * The node's log, or ranges here, stopped after a fault. What is written is refused until that was repaired; of
         * a range with other voters those serve, and it is over when the replica here has been replaced.
         */
        FAILED
    }
}
