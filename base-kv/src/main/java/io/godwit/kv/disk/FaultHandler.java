package io.godwit.kv.disk;

/**
 * Is told of a permanent fault of something the node relies on: a write or fsync of the log has failed, or stored bytes
 * are damaged.
 *
 * <p>Called on the thread that met the fault, possibly with locks held, so it only records the fault and returns.
 */
@FunctionalInterface
public interface FaultHandler {

    /**
     * Records a fault.
     *
     * @param what the object and the operation that failed, for an operator
     * @param cause the failure
     */
    void onFault(String what, Throwable cause);
}
