package io.godwit.dist.peer.link;

import io.godwit.cluster.link.Links;
import io.godwit.dist.member.Members;
import io.godwit.kv.client.Mirror;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The parts of the cluster that a dist-worker uses.
 *
 * @param nodeId of this node
 * @param serves whether this node is a serving member, as far as it knows
 * @param mirror of the dist store
 * @param wallMillis the wall clock, milliseconds since the epoch
 * @param nanoTime the monotonic clock
 * @param random spreads retries, see {@link io.godwit.kv.client.Backoff}
 * @param waits how long it waits for other nodes
 * @param maxLiveFilterBytes heap bytes that the filters of live sessions of this node may take on each other node, see
 *     {@code FilterKey.heapBytes}. Its connected stored members of shared groups may take a quarter of that in
 *     addition, see {@code GroupMember.heapBytes}
 * @param recordsLack why no first record may be written, see {@link io.godwit.dist.record.RecordReaders#lack}. Any
 *     thread
 */
public record ClusterParts(
        String nodeId,
        Links links,
        Members members,
        BooleanSupplier serves,
        Mirror mirror,
        PeerTimers timers,
        LongSupplier wallMillis,
        LongSupplier nanoTime,
        DoubleSupplier random,
        PeerWaits waits,
        long maxLiveFilterBytes,
        Supplier<Optional<String>> recordsLack) {
    /** Divisor of the largest heap that this JVM may have. */
    private static final int HEAP_SHARE = 16;

    public ClusterParts {
        if (maxLiveFilterBytes < 1) {
            throw new IllegalArgumentException("maxLiveFilterBytes must be at least 1, was " + maxLiveFilterBytes);
        }
    }

    /** A sixteenth of the heap: with seven equal nodes, the filters of the other six take three eighths. */
    public static long defaultLiveFilterBytes() {
        return Runtime.getRuntime().maxMemory() / HEAP_SHARE;
    }
}
