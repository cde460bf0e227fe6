package io.godwit.inbox.session.port;

import java.time.Duration;

/**
 * Bounds of a {@code ClusterSessionDirectory}.
 *
 * @param acquireTimeout how long a connection waits for its client id; must be longer than the others need to exclude a
 *     silent node
 * @param patience how long before a silent member is reported as missing
 * @param maxWaiting most connections, of all nodes, that may have or wait for one client id
 * @param maxClaimsOfNode most client ids of this node's share that the connections of one node may have or wait for
 */
public record DirectoryLimits(Duration acquireTimeout, Duration patience, int maxWaiting, int maxClaimsOfNode) {
    private static final int MAX_WAITING = 1_000;
    private static final int MAX_CLAIMS_OF_NODE = 5_000_000;

    /** With default numbers of claims. */
    public static DirectoryLimits of(Duration acquireTimeout, Duration patience) {
        return new DirectoryLimits(acquireTimeout, patience, MAX_WAITING, MAX_CLAIMS_OF_NODE);
    }

    public DirectoryLimits {
        if (acquireTimeout.isNegative() || acquireTimeout.isZero()) {
            throw new IllegalArgumentException("acquireTimeout must be positive, was " + acquireTimeout);
        }
        if (patience.isNegative() || patience.compareTo(acquireTimeout) >= 0) {
            throw new IllegalArgumentException("patience must be less than " + acquireTimeout + ", was " + patience);
        }
        if (maxWaiting < 2) {
            throw new IllegalArgumentException("maxWaiting must be at least 2, was " + maxWaiting);
        }
        if (maxClaimsOfNode < 1) {
            throw new IllegalArgumentException("maxClaimsOfNode must be at least 1, was " + maxClaimsOfNode);
        }
    }
}
