package io.godwit.kv.raft.wire;

import io.grpc.Status;

/** Formats the status of a call for a log line or an exception. */
public final class StatusText {
    private StatusText() {}

    public static String of(Status status) {
        return status.getCode() + (status.getDescription() == null ? "" : ": " + status.getDescription());
    }
}
