package io.godwit.kv.store;

/**
 * The health of a store.
 *
 * @param detail the reason, for an operator; empty while serving
 */
public record StoreHealth(State state, String detail) {
    /** From good to bad. */
    public enum State {
        SERVING,
        /** Some ranges have not had a leader yet. */
        STARTING,
        /** Mutations that add data are refused because free disk is below the low-water mark. */
        READ_ONLY,
        /**
         * Some ranges have no leader: requests for their keys wait and are refused in the end. This heals by itself.
         */
        NO_QUORUM,
        /**
         * The node's log, or ranges here, stopped after a fault. Writes are refused until it is repaired. If a range
         * has other voters, these serve, and the fault ends when the replica here has been replaced.
         */
        FAILED
    }
}
