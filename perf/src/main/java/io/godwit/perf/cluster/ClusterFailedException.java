package io.godwit.perf.cluster;

/**
 * A cluster could not be started, changed or queried, or one of its brokers has ended. The message is a sentence for
 * the user.
 */
public final class ClusterFailedException extends Exception {
    public ClusterFailedException(String reason) {
        super(reason);
    }
}
