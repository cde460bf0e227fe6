package io.godwit.cluster.config;

import java.io.IOException;

/** This node cannot be a member with its configuration. The message is written for an operator. */
public final class ClusterException extends IOException {
    public ClusterException(String message) {
        super(message);
    }

    public ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
