package io.godwit.cluster.link.contact;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.connection.LinkConnection;
import io.godwit.cluster.link.pairing.LaneCounters;
import io.godwit.cluster.link.pairing.Pairing;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of the links to one other node. Owned by the links' thread, except the counters and the inside of
 * {@code pairing}.
 */
final class Contact {
    final String nodeId;
    /** The highest incarnation of the node seen; 0 before the first. */
    long incarnation;
    /**
     * If the other end dials: the highest session number of a pairing that was begun. If this end dials: the session
     * number that it offers or has; 0 if it needs a new one.
     */
    long session;
    /** If the other end dials: the number of the newest stream of {@code session}. */
    long attempt;
    /** The pairing with the node, kept until listeners were told that it is over. Read by other threads. */
    volatile @Nullable Pairing pairing;
    /** The connection that {@code pairing} is attached to. */
    @Nullable
    LinkConnection connection;
    /** If this end dials: the connection that waits for an answer. */
    @Nullable
    LinkConnection trying;
    /** A hello that waits until {@code pairing}, which is over, has ended. */
    @Nullable
    Held held;
    /** This end does not dial before this time. */
    long notBeforeNanos;
    /** Time since which there is no connection. */
    long silentSinceNanos;
    /** When the node was last seen as a member. */
    long memberNanos;

    boolean hasLeft;
    /** The last logged reason why a stream failed, so that a repetition is not logged. */
    String lastTrouble = "";
    /** When it was last logged that the nodes have no version in common; null before the first time. */
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
