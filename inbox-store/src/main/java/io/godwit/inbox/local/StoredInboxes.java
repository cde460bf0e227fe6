package io.godwit.inbox.local;

import io.godwit.kv.coprocessor.RangeBounds;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Which inboxes may have something stored, in the ranges that are led here. Most clients have no stored session; they
 * connect without a query to the range: {@link #isAbsent}. Thread-safe: range executors write, each its own
 * {@link Part}, and event loops read. In a cluster only the leader reads its part, to save loading the inbox; there a
 * replaced leader may not know that it is replaced, so it must first prove that it leads ({@code ConfirmedAnswers}).
 *
 * <p>A part answers once its leader has walked all session records, and stops when another leadership is prepared. The
 * leader notes a record when it decides on it, before anyone learns of it. So the answer "absent" is as reliable as the
 * leader's own, for a caller that has the client id's lease: nobody else is about to store something. Deleted inboxes
 * stay in the set, because it holds only hash codes; the next walk, an hour later at most, leaves them out. Until then
 * they cost a query.
 */
public final class StoredInboxes {
    /** By the start of their bounds, which do not overlap. */
    private final ConcurrentSkipListMap<byte[], Part> answering = new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

    /** Secret seed: clients choose their ids, but must not choose slots of the table. */
    private final int seed = ThreadLocalRandom.current().nextInt();

    /**
     * Whether certainly nothing is stored of the inbox; false when this node does not know. Any thread; never waits.
     */
    public boolean isAbsent(byte[] prefix) {
        Map.Entry<byte[], Part> nearest = answering.floorEntry(prefix);
        return nearest != null && nearest.getValue().isAbsent(prefix);
    }

    private int hash(byte[] prefix) {
        int hash = Arrays.hashCode(prefix) ^ seed;
        // the finalizer of MurmurHash3
        hash = (hash ^ hash >>> 16) * 0x85EBCA6B;
        hash = (hash ^ hash >>> 13) * 0xC2B2AE35;
        return hash ^ hash >>> 16;
    }

    /** The knowledge of one leader. Owned by it; other threads only look up. */
    public final class Part {
        private final RangeBounds bounds;
        /** Null until a walk has ended. */
        private volatile @Nullable HashCodes stored;
        /**
         * Inboxes written since the latest walk began, or about to be: the next walk may read before they are stored.
         */
        private HashCodes recent = new HashCodes();

        private @Nullable Walk walk;
        private boolean isWithdrawn;

        /** A leadership begins: drops what earlier leaderships knew of these keys. */
        public Part(RangeBounds bounds) {
            this.bounds = bounds;
            answering.values().removeIf(other -> overlaps(other.bounds, bounds));
        }

        /** The leader starts to walk all records; a walk still under way is discarded. */
        public Walk beginWalk() {
            Walk begun = new Walk(recent.copy());
            recent = new HashCodes();
            walk = begun;
            return begun;
        }

        /** The leader has decided that the inbox gets a record. */
        public void written(byte[] prefix) {
            int hash = hash(prefix);
            recent.add(hash);
            HashCodes known = stored;
            if (known != null) {
                known.add(hash);
            }
            if (walk != null) {
                walk.found.add(hash);
            }
        }

        /** As {@link StoredInboxes#isAbsent}, for the leader itself. */
        public boolean isAbsent(byte[] prefix) {
            HashCodes known = stored;
            return known != null && bounds.contains(prefix) && !known.contains(hash(prefix));
        }

        /** Another leader may follow: no more answers. */
        public void withdraw() {
            isWithdrawn = true;
            answering.remove(bounds.start(), this);
            stored = null;
        }

        /** One walk over all records. */
        public final class Walk {
            /** Includes what is written during the walk or was shortly before it. */
            private final HashCodes found;

            private Walk(HashCodes found) {
                this.found = found;
            }

            public void found(byte[] prefix) {
                found.add(hash(prefix));
            }

            public void ended() {
                if (this.equals(walk) && !isWithdrawn) {
                    walk = null;
                    stored = found;
                    answering.put(bounds.start(), Part.this);
                }
            }
        }
    }

    private static boolean overlaps(RangeBounds a, RangeBounds b) {
        return isBefore(a.start(), b.end()) && isBefore(b.start(), a.end());
    }

    private static boolean isBefore(byte[] start, byte @Nullable [] end) {
        return end == null || Arrays.compareUnsigned(start, end) < 0;
    }
}
