package io.godwit.inbox.session;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who owns which client id in a view: of the serving members the one whose node id gives the highest weight together
 * with the client id (rendezvous). All nodes get the same answer, and when a member comes or goes only its own share
 * changes owners. The hash has no secret: who chooses client ids can make one node own all of them, which costs that
 * node some memory for each connection, and the attacker a connection.
 */
final class Owners {
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final List<MemberLife> lives;
    private final long[] hashes;

    Owners(MembersView view) {
        lives = view.serving().stream()
                .sorted(Comparator.comparing(MemberLife::nodeId).thenComparing(MemberLife::incarnation))
                .toList();
        hashes = lives.stream().mapToLong(life -> hash(0, life.nodeId())).toArray();
    }

    /** The same on all nodes; what {@link #of} wants. */
    static long hash(IdKey key) {
        return hash(hash(0, key.tenant().value()), key.clientId().value());
    }

    private static long hash(long seed, String text) {
        long h = seed + text.length();
        for (int i = 0; i < text.length(); i++) {
            h = Long.rotateLeft(h ^ text.charAt(i), 23) * MULTIPLIER;
        }
        return mix(h);
    }

    /** The finalizer of SplitMix64: each bit of the input changes half of the output's. */
    private static long mix(long value) {
        long z = value + MULTIPLIER;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** The owner; null when nobody serves. */
    @Nullable
    MemberLife of(long keyHash) {
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
