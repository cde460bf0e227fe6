package io.godwit.cluster.link;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is known of another node. Owned by the links' thread, but for the counters and {@code pairing}'s inside. */
final class Contact {
    final String nodeId;
    /** Of the node's life that counts; 0 before the first. */
    long incarnation;
    /**
     * Where the other dials: the highest number of a pairing that was begun. Where this end dials: the one that it
     * offers or has; 0 when it has to count on.
     */
    long session;
    /** Where the other dials: of the newest stream of {@code session}. */
    long attempt;
    /** Until listeners were told that it is over. Read by others. */
    volatile @Nullable Pairing pairing;
    /** What {@code pairing} is attached to. */
    @Nullable
    LinkConnection connection;
    /** Where this end dials: waits for an answer. */
    @Nullable
    LinkConnection trying;
    /** A hello that waits until {@code pairing}, which is over, has ended. */
    @Nullable
    Held held;
    /** This end does not dial before. */
    long notBeforeNanos;
    /** Since when there is no connection. */
    long silentSinceNanos;
    /** When the node was a member lately. */
    long memberNanos;

    boolean hasLeft;
    /** What was said last of a stream that came to nothing: a repetition is not logged. */
    String lastTrouble = "";
    /** When it was said last that there is no version that both speak. */
    @Nullable
    Long versionsToldNanos;

    final Map<Lane, LaneCounters> counters = new EnumMap<>(Lane.class);

    @SuppressWarnings("ArrayRecordComponent")
    record Held(LinkConnection connection, byte[] hello) {}

    Contact(String nodeId, long nowNanos) {
        this.nodeId = nodeId;
        this.notBeforeNanos = nowNanos;
        this.memberNanos = nowNanos;
        for (Lane lane : Lane.values()) {
            counters.put(lane, new LaneCounters());
        }
    }
}
