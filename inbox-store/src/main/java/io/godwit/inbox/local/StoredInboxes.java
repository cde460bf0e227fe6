package io.godwit.inbox.local;

import io.godwit.kv.coprocessor.RangeBounds;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Which inboxes may have something stored, in the ranges that are led here; so that a client without a stored session,
 * as most are, is let in without a question to its range: {@link #isAbsent}. Thread-safe: range executors write, each
 * its {@link Part}, and event loops ask. In a cluster only the leader asks its part, which saves it loading the inbox:
 * a leader that was replaced may not know yet, so that it must prove that it leads ({@code ConfirmedAnswers}).
 *
 * <p>A part answers once its leader has walked all session records, and no more from the moment when another leadership
 * is prepared. A record is noted when its leader decides on it, before anybody hears of it; so an answer of "absent" is
 * as true as the leader's own, for a caller that has the client id's lease: nobody else is about to store something.
 * What is deleted is not taken out, since hash codes are all that is kept: it is missing from the next walk, an hour
 * later at most, and is asked for until then.
 */
public final class StoredInboxes {
    /** By the start of their bounds, which do not overlap. */
    private final ConcurrentSkipListMap<byte[], Part> answering = new ConcurrentSkipListMap<>(Arrays::compareUnsigned);

    /** Clients choose their ids: they shall not choose places in a table as well. */
    private final int seed = ThreadLocalRandom.current().nextInt();

    /** Whether nothing at all is stored of the inbox; false when that is not known here. Any thread; never waits. */
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

    /** What one leader knows. Owned by it, but for the look-up. */
    public final class Part {
        private final RangeBounds bounds;
        /** Null until a walk has ended. */
        private volatile @Nullable HashCodes stored;
        /** Written since the latest walk began, or about to be: its next one may read before it is there. */
        private HashCodes recent = new HashCodes();

        private @Nullable Walk walk;
        private boolean isWithdrawn;

        /** A leadership begins: what an earlier one knew of these keys does not hold any more. */
        public Part(RangeBounds bounds) {
            this.bounds = bounds;
            answering.values().removeIf(other -> overlaps(other.bounds, bounds));
        }

        /** The leader walks all records from here on; one that is still under way comes to nothing. */
        public Walk beginWalk() {
            Walk begun = new Walk(recent.copy());
            recent = new HashCodes();
            walk = begun;
            return begun;
        }

        /** The leader has decided that the inbox has a record. */
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

        /** Another leader may follow: nothing is answered any more. */
        public void withdraw() {
            isWithdrawn = true;
            answering.remove(bounds.start(), this);
            stored = null;
        }

        /** One walk over all records. */
        public final class Walk {
            /** And what is written meanwhile, or was not long before. */
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
