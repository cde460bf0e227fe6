package io.godwit.dist.index.share;

import io.godwit.dist.client.SharedPick;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Affinity} of one group for each strategy with a memory: messages of different listeners may use different
 * strategies, and their memories are independent. Each is made for the first message that needs it, on any event loop.
 */
final class Affinities {
    private volatile @Nullable Affinity sticky;
    private volatile @Nullable Affinity byClient;
    private volatile @Nullable Affinity byTopic;

    /** Null for strategies without memory. */
    @Nullable
    Affinity of(SharedPick strategy) {
        Affinity known = known(strategy);
        return known == null && hasMemory(strategy) ? made(strategy) : known;
    }

    private static boolean hasMemory(SharedPick strategy) {
        return switch (strategy) {
            case STICKY, HASH_BY_CLIENT, HASH_BY_TOPIC -> true;
            case RANDOM, ROUND_ROBIN, LOCAL_FIRST -> false;
        };
    }

    private @Nullable Affinity known(SharedPick strategy) {
        return switch (strategy) {
            case STICKY -> sticky;
            case HASH_BY_CLIENT -> byClient;
            case HASH_BY_TOPIC -> byTopic;
            case RANDOM, ROUND_ROBIN, LOCAL_FIRST -> null;
        };
    }

    private synchronized Affinity made(SharedPick strategy) {
        Affinity known = known(strategy);
        if (known != null) {
            return known;
        }
        Affinity made = new Affinity(strategy == SharedPick.STICKY ? 1 : Affinity.BUCKETS);
        switch (strategy) {
            case STICKY -> sticky = made;
            case HASH_BY_CLIENT -> byClient = made;
            case HASH_BY_TOPIC -> byTopic = made;
            case RANDOM, ROUND_ROBIN, LOCAL_FIRST -> throw new IllegalArgumentException(strategy + " has no memory");
        }
        return made;
    }

    /** Gives {@code newcomer} its share of the publishers and topics of the other members. */
    void share(SharedMember newcomer, int members) {
        Affinity clients = byClient;
        if (clients != null) {
            clients.share(newcomer, members);
        }
        Affinity topics = byTopic;
        if (topics != null) {
            topics.share(newcomer, members);
        }
    }
}
