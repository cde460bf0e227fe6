package io.godwit.kv.raft.log;

/**
 * A write to the shared log failed, or was refused because an earlier one had failed. It must not be acknowledged, but
 * may be found after a restart.
 */
public final class RaftLogFaultException extends RuntimeException {

    public RaftLogFaultException(String message, Throwable cause) {
        super(message, cause);
    }
}
