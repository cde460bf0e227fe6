package io.godwit.dist.index.share;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Weighted rendezvous hashing. The hash of a key selects one of {@link #BUCKETS} buckets. Each candidate draws a number
 * for the bucket, and the one with the highest {@link #score} has the bucket. A candidate is chosen as often as its
 * weight says. When a candidate or a weight comes, goes or changes, only those buckets move that have to.
 *
 * <p>All nodes must compute the same, with any JVM: so texts are hashed by {@code String.hashCode} or SHA-256, and
 * logarithms are those of {@link StrictMath}. A client can choose keys of one bucket, which only sends its own messages
 * to one member. It must not be able to choose a name that draws like another one, so names are hashed by SHA-256.
 */
final class Rendezvous {
    /** More than the members of the largest group, so that each can get some. A power of two. */
    static final int BUCKETS = 1 << 14;

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final int DRAW_BITS = 52;

    private Rendezvous() {}

    /** The bucket of a key with this hash. */
    static int bucketOf(int hash) {
        int mixed = (hash ^ (hash >>> 16)) * 0x85EBCA6B;
        mixed = (mixed ^ (mixed >>> 13)) * 0xC2B2AE35;
        return (mixed ^ (mixed >>> 16)) & BUCKETS - 1;
    }

    /** A number for a name: the first 64 bits of its SHA-256. */
    static long hashOf(String name) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            return ByteBuffer.wrap(sha.digest(name.getBytes(StandardCharsets.UTF_8)))
                    .getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The start of the draws of a candidate in a group; never 0. In another group the candidate draws otherwise. */
    static long point(long group, long candidate) {
        return mix(group ^ candidate) | 1;
    }

    /** What the candidate draws for the bucket: from 0 to 2^52 - 1. */
    static long draw(long point, int bucket) {
        return mix(point + (bucket + 1) * GOLDEN) >>> Long.SIZE - DRAW_BITS;
    }

    /**
     * The score of a draw; positive. Of candidates with the same weight, the one with the highest draw has the highest
     * score.
     *
     * @param weight at least 1
     */
    static double score(long draw, int weight) {
        return weight / -StrictMath.log((draw + 0.5) / (1L << DRAW_BITS));
    }

    /** Whether the first score is higher. Takes a logarithm only when the draw and the weight disagree. */
    static boolean isHigher(long draw, int weight, long otherDraw, int otherWeight) {
        if (weight == otherWeight) {
            return draw > otherDraw;
        }
        if (weight > otherWeight == draw >= otherDraw) {
            return weight > otherWeight;
        }
        return score(draw, weight) > score(otherDraw, otherWeight);
    }

    private static long mix(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
