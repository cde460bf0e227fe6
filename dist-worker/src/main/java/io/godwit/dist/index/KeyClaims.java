package io.godwit.dist.index;

import io.godwit.kv.coprocessor.RangeBounds;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides which replica of this node may change the index for a key. Two may have the key at a time: a replica that is
 * behind a split or merge of its range, and that of the range which has the key since. The one with the higher epoch is
 * right ({@link io.godwit.kv.coprocessor.RangeCoprocessor#epochIs}); the other one applies changes that are older than
 * the index. Apply threads and threads that close ranges contend for the lock; readers need none.
 */
public final class KeyClaims {
    /** The claim of one open replica. */
    public static final class Claim {
        private RangeBounds bounds;
        private long epoch;
        /** Bounds of replicas with a higher epoch that overlap these bounds. Nearly always none. */
        private volatile List<RangeBounds> newer = List.of();

        private Claim(RangeBounds bounds, long epoch) {
            this.bounds = bounds;
            this.epoch = epoch;
        }

        /** Whether no other replica of this node has had the key later. Any thread. */
        public boolean isNewest(byte[] key) {
            for (RangeBounds each : newer) {
                if (each.contains(key)) {
                    return false;
                }
            }
            return true;
        }
    }

    private final List<Claim> claims = new ArrayList<>();

    public synchronized Claim claim(RangeBounds bounds, long epoch) {
        Claim claim = new Claim(bounds, epoch);
        claims.add(claim);
        compare();
        return claim;
    }

    public synchronized void change(Claim claim, RangeBounds bounds, long epoch) {
        claim.bounds = bounds;
        claim.epoch = epoch;
        compare();
    }

    public synchronized void release(Claim claim) {
        claims.remove(claim);
        compare();
    }

    /** A node has some hundreds of ranges at most, and their bounds rarely change. */
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
