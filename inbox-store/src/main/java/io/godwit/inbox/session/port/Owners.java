package io.godwit.inbox.session.port;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The owners of client ids in a view: the serving member whose node id has the highest weight together with the client
 * id (rendezvous hashing). All nodes compute the same owner, and when a member comes or goes only its own share changes
 * owners. The hash has no secret: a client that chooses its ids can make one node own all of them, which costs that
 * node some memory per connection, and the attacker one connection each.
 */
public final class Owners {
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final List<MemberLife> lives;
    private final long[] hashes;

    public Owners(DirectoryView view) {
        lives = view.serving().stream()
                .sorted(Comparator.comparing(MemberLife::nodeId).thenComparing(MemberLife::incarnation))
                .toList();
        hashes = lives.stream().mapToLong(life -> hash(0, life.nodeId())).toArray();
    }

    /** The hash for {@link #of}; the same on all nodes. */
    public static long hash(IdKey key) {
        return hash(hash(0, key.tenant().value()), key.clientId().value());
    }

    private static long hash(long seed, String text) {
        long h = seed + text.length();
        for (int i = 0; i < text.length(); i++) {
            h = Long.rotateLeft(h ^ text.charAt(i), 23) * MULTIPLIER;
        }
        return mix(h);
    }

    /** The finalizer of SplitMix64: each bit of the input changes half of the output's bits on average. */
    private static long mix(long value) {
        long z = value + MULTIPLIER;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** The owner; null when no member serves. */
    public @Nullable MemberLife of(long keyHash) {
        int best = -1;
        long most = 0;
        for (int i = 0; i < hashes.length; i++) {
            long weight = mix(keyHash ^ hashes[i]);
            if (best < 0 || Long.compareUnsigned(weight, most) > 0) {
                best = i;
                most = weight;
            }
        }
        return best < 0 ? null : lives.get(best);
    }
}
