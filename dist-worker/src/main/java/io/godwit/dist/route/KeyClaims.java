package io.godwit.dist.route;

import io.godwit.kv.coprocessor.RangeBounds;
import java.util.ArrayList;
import java.util.List;

/**
 * Which replica of this node may tell the index of a key. Two may have it at a time: one that is behind a split or a
 * merge of its range, and that of the range which has the key since. The one with the higher epoch is right
 * ({@link io.godwit.kv.coprocessor.RangeCoprocessor#epochIs}); what the other applies is older than what the index was
 * told already. Apply threads and those that close ranges meet here, hence the lock; who only looks needs none.
 */
final class KeyClaims {
    /** Of one open replica. */
    static final class Claim {
        private RangeBounds bounds;
        private long epoch;
        /** Bounds of those with a higher epoch, as far as they overlap with these. Nearly always none. */
        private volatile List<RangeBounds> newer = List.of();

        private Claim(RangeBounds bounds, long epoch) {
            this.bounds = bounds;
            this.epoch = epoch;
        }

        /** Whether no other replica of this node has had the key later. Any thread. */
        boolean isNewest(byte[] key) {
            for (RangeBounds each : newer) {
                if (each.contains(key)) {
                    return false;
                }
            }
            return true;
        }
    }

    private final List<Claim> claims = new ArrayList<>();

    synchronized Claim claim(RangeBounds bounds, long epoch) {
        Claim claim = new Claim(bounds, epoch);
        claims.add(claim);
        compare();
        return claim;
    }

    synchronized void change(Claim claim, RangeBounds bounds, long epoch) {
        claim.bounds = bounds;
        claim.epoch = epoch;
        compare();
    }

    synchronized void release(Claim claim) {
        claims.remove(claim);
        compare();
    }

    /** Ranges of a node are some hundreds at most, and their bounds change seldom. */
    private void compare() {
        for (Claim claim : claims) {
            List<RangeBounds> newer = new ArrayList<>(0);
            for (Claim other : claims) {
                if (other.epoch > claim.epoch && other.bounds.overlaps(claim.bounds)) {
                    newer.add(other.bounds);
                }
            }
            claim.newer = List.copyOf(newer);
        }
    }
}
