package io.godwit.kv.raft.log;

/**
 * A write to the shared log failed, or was refused because an earlier one had. Nothing of it may be acknowledged; it
 * may still be found after a restart.
 */
public final class RaftLogFaultException extends RuntimeException {

    public RaftLogFaultException(String message, Throwable cause) {
        super(message, cause);
    }
}
