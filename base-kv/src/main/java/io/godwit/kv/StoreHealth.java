package io.godwit.kv;

/**
 * How a store is.
 *
 * @param detail why, for an operator; empty while serving
 */
public record StoreHealth(State state, String detail) {
    /** From bad to worse. */
    public enum State {
        SERVING,
        /** Not all ranges lead yet. */
        STARTING,
        /** Mutations that add data are refused because free disk is below the low-water mark. */
        READ_ONLY,
        /** A range, or the node's log, stopped after a fault; mutations are refused until it was repaired. */
        FAILED
    }
}
