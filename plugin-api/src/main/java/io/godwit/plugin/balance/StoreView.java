package io.godwit.plugin.balance;

import java.time.Duration;

/**
 * One store at the time of the view.
 *
 * @param id the store id, which a node keeps as long as its data
 * @param zone the failure domain (a rack, a data centre); empty when not configured. Stores with the same text share it
 * @param livenessFor how long {@code liveness} has had this value; for a store never seen, how long it has been
 *     expected
 * @param isDraining whether the operator wants leaders and replicas off it
 * @param version of the software; empty when not known
 * @param cores of the node, at least 1
 * @param cpuLoad share of all cores that the node's own process uses, 0 to 1
 * @param diskTotalBytes size of the disk with its data, at least 1
 * @param diskFreeBytes 0 to {@code diskTotalBytes}
 * @param leaderWorkElsewhere operations per second of the ranges it leads in key spaces whose names sort before
 *     this one; a range without load counts a little. The leaders of this key space are placed around that work. The
 *     order by name makes it one-way: two key spaces that avoided each other would never settle
 */
public record StoreView(
        String id,
        String zone,
        Liveness liveness,
        Duration livenessFor,
        boolean isDraining,
        String version,
        int cores,
        double cpuLoad,
        long diskTotalBytes,
        long diskFreeBytes,
        double leaderWorkElsewhere) {

    /** For a store that leads no range of other key spaces. */
    public StoreView(
            String id,
            String zone,
            Liveness liveness,
            Duration livenessFor,
            boolean isDraining,
            String version,
            int cores,
            double cpuLoad,
            long diskTotalBytes,
            long diskFreeBytes) {
        this(id, zone, liveness, livenessFor, isDraining, version, cores, cpuLoad, diskTotalBytes, diskFreeBytes, 0);
    }

    public StoreView {
        if (id.isEmpty()) {
            throw new IllegalArgumentException("a store without an id");
        }
        if (livenessFor.isNegative()) {
            throw new IllegalArgumentException("store " + id + ": livenessFor is " + livenessFor);
        }
        if (cores < 1) {
            throw new IllegalArgumentException("store " + id + ": " + cores + " cores, expected at least 1");
        }
        if (!(cpuLoad >= 0 && cpuLoad <= 1)) {
            throw new IllegalArgumentException("store " + id + ": cpuLoad is " + cpuLoad + ", expected 0 to 1");
        }
        if (diskTotalBytes < 1 || diskFreeBytes < 0 || diskFreeBytes > diskTotalBytes) {
            throw new IllegalArgumentException(
                    "store " + id + ": " + diskFreeBytes + " bytes free of " + diskTotalBytes + " of the disk");
        }
        if (!(leaderWorkElsewhere >= 0)) {
            throw new IllegalArgumentException("store " + id + ": leaderWorkElsewhere is " + leaderWorkElsewhere);
        }
    }

    /** Whether it is a member of the cluster at the time of the view. */
    public boolean isAlive() {
        return liveness == Liveness.ALIVE;
    }
}
