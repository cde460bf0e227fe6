package io.godwit.kv.peers;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the other nodes whether ranges have ended whose replicas here have had no leader for a long time: if a range was
 * merged into another while this node was away, and its replicas were deleted elsewhere, nobody calls this node.
 *
 * <p>It asks every node of the cluster, and not only the voters that the replica here knows: the range may have got
 * other voters since, and only those may know of its end. Called on I/O threads.
 */
final class EndedRanges {
    private static final Logger LOG = LoggerFactory.getLogger(EndedRanges.class);
    private static final long LEADERLESS_NANOS = TimeUnit.SECONDS.toNanos(30);

    /**
     * A replica here.
     *
     * @param voters as far as this node knows them
     * @param isRunning false if it was damaged at the start and so never hears of a leader
     * @param hasLeader whether it knows a leader
     */
    record Replica(
            String store,
            long rangeId,
            String groupId,
            Collection<String> voters,
            boolean isRunning,
            boolean hasLeader) {}

    /** Asks a node whether a range has ended. */
    @FunctionalInterface
    interface Asker {
        CompletableFuture<Boolean> hasEnded(String storeId, Replica replica);
    }

    private final String self;
    private final Supplier<? extends Collection<String>> nodes;
    private final LongSupplier nanoTime;
    private final Asker asker;
    private final Consumer<Replica> ended;

    /** Groups here that know no leader, and since when, in nanoseconds. */
    private final Map<String, Long> leaderlessSince = new ConcurrentHashMap<>();

    /**
     * @param nodes the store ids of all nodes of the cluster, also of those that are down
     * @param ended told of a replica whose range has ended, on the thread of the answer
     */
    EndedRanges(
            String self,
            Supplier<? extends Collection<String>> nodes,
            LongSupplier nanoTime,
            Asker asker,
            Consumer<Replica> ended) {
        this.self = self;
        this.nodes = nodes;
        this.nanoTime = nanoTime;
        this.asker = asker;
        this.ended = ended;
    }

    /** Looks at all replicas here; called at intervals. */
    void look(Collection<Replica> replicas) {
        long now = nanoTime.getAsLong();
        leaderlessSince
                .keySet()
                .retainAll(replicas.stream().map(Replica::groupId).collect(Collectors.toSet()));
        for (Replica replica : replicas) {
            if (!replica.isRunning()) {
                ask(replica);
            } else if (replica.hasLeader()) {
                leaderlessSince.remove(replica.groupId());
            } else if (now - leaderlessSince.computeIfAbsent(replica.groupId(), fresh -> now) > LEADERLESS_NANOS) {
                ask(replica);
            }
        }
    }

    private void ask(Replica replica) {
        Set<String> asked = new TreeSet<>(nodes.get());
        asked.addAll(replica.voters());
        asked.remove(self);
        for (String node : asked) {
            asker.hasEnded(node, replica)
                    .thenAccept(hasEnded -> {
                        if (hasEnded) {
                            ended.accept(replica);
                        }
                    })
                    .exceptionally(failure -> {
                        LOG.debug("not known whether the range has ended range={}", replica.groupId(), failure);
                        return null;
                    });
        }
    }
}
