package io.godwit.kv.disk;

/**
 * Learns that something the node relies on has failed for good: a write or fsync of the log, or stored bytes that are
 * not what was written.
 *
 * <p>Called on the thread that met the failure, possibly while it holds locks, so it only takes note and returns.
 */
@FunctionalInterface
public interface FaultHandler {

    /**
     * Takes note of a fault.
     *
     * @param what names the thing and what was tried, for an operator
     * @param cause the failure
     */
    void onFault(String what, Throwable cause);
}
