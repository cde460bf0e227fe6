package io.godwit.cluster;

import java.io.IOException;

/** This node cannot be a member as it is configured. The message is for an operator. */
public final class ClusterException extends IOException {
    public ClusterException(String message) {
        super(message);
    }

    public ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
