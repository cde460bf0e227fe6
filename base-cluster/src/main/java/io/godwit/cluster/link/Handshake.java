package io.godwit.cluster.link;

import io.godwit.cluster.Member;
import io.godwit.cluster.link.wire.Accepted;
import io.godwit.cluster.link.wire.Answer;
import io.godwit.cluster.link.wire.End;
import io.godwit.cluster.link.wire.Hello;
import io.godwit.cluster.link.wire.Position;
import io.godwit.cluster.link.wire.Reason;
import io.godwit.cluster.link.wire.Refused;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What this node says when a stream begins, and which others it listens to: those whose hello names this process, its
 * cluster, and a member with the incarnation that the membership knows. Of two nodes the one with the lower id dials.
 */
final class Handshake {
    /** Nobody counts that far; what another end says must not make a count run over. */
    static final long MAX_SESSION = 1L << 62;

    private final String selfId;
    private final long selfIncarnation;
    private final LinkSettings settings;

    Handshake(String selfId, long selfIncarnation, LinkSettings settings) {
        this.selfId = selfId;
        this.selfIncarnation = selfIncarnation;
        this.settings = settings;
    }

    boolean isSelf(String nodeId) {
        return nodeId.equals(selfId);
    }

    boolean dials(String nodeId) {
        return selfId.compareTo(nodeId) < 0;
    }

    Hello hello(String nodeId, long incarnation, long session, long attempt, long[] expected) {
        return Hello.newBuilder()
                .setLeastVersion(LinkMessage.VERSION)
                .setMostVersion(LinkMessage.VERSION)
                .setClusterId(settings.clusterId())
                .setNodeId(selfId)
                .setIncarnation(selfIncarnation)
                .setToNodeId(nodeId)
                .setToIncarnation(incarnation)
                .setSession(session)
                .setAttempt(attempt)
                .setReceives(receives(expected))
                .build();
    }

    Answer accepted(long[] expected) {
        return Answer.newBuilder()
                .setAccepted(
                        Accepted.newBuilder().setVersion(LinkMessage.VERSION).setReceives(receives(expected)))
                .build();
    }

    static Answer refused(Reason reason, String words, long session) {
        return Answer.newBuilder()
                .setRefused(
                        Refused.newBuilder().setReason(reason).setWords(words).setSession(session))
                .build();
    }

    private End receives(long[] expected) {
        End.Builder end = End.newBuilder().setWindowBytes(settings.windowBytes());
        for (Lane lane : Lane.values()) {
            end.addPositions(Position.newBuilder().setLane(lane.number()).setNext(expected[lane.ordinal()]));
        }
        return end.build();
    }

    /** Has the connection hear what the other end is ready to receive. */
    static void hear(LinkConnection connection, End end) throws LinkProtocolException {
        long[] next = new long[Lane.values().length];
        for (Position position : end.getPositionsList()) {
            Lane lane = LinkMessage.lane(position.getLane());
            if (position.getNext() < 1 || next[lane.ordinal()] != 0) {
                throw new LinkProtocolException("lane " + lane + " begins at " + position.getNext());
            }
            next[lane.ordinal()] = position.getNext();
        }
        if (end.getPositionsCount() != next.length || end.getWindowBytes() < LinkSettings.LEAST_WINDOW_BYTES) {
            throw new LinkProtocolException("the other end receives " + end.getPositionsCount()
                    + " lanes in windows of " + end.getWindowBytes() + " bytes");
        }
        connection.hear(next, end.getWindowBytes());
    }

    /** What is wrong with the version that was chosen; null for nothing. */
    static @Nullable String fault(Accepted accepted) {
        return accepted.getVersion() == LinkMessage.VERSION
                ? null
                : "version " + accepted.getVersion() + " was chosen, and not " + LinkMessage.VERSION;
    }

    /** Why it is not listened to; null when it is. */
    @Nullable
    Answer refusal(Hello hello, List<Member> members) {
        if (hello.getLeastVersion() > LinkMessage.VERSION || hello.getMostVersion() < LinkMessage.VERSION) {
            return refused(
                    Reason.REASON_VERSION,
                    "this node speaks version " + LinkMessage.VERSION + " of the links, and not "
                            + hello.getLeastVersion() + " to " + hello.getMostVersion(),
                    0);
        }
        String why = null;
        if (!hello.getClusterId().equals(settings.clusterId())) {
            why = "this node is of cluster " + settings.clusterId();
        } else if (!hello.getToNodeId().equals(selfId)) {
            why = "this is node " + selfId;
        } else if (hello.getToIncarnation() != selfIncarnation) {
            why = "this is incarnation " + selfIncarnation;
        } else if (hello.getNodeId().compareTo(selfId) >= 0) {
            why = "the node with the lower id dials";
        } else if (hello.getSession() < 1 || hello.getSession() > MAX_SESSION) {
            why = "pairings are counted from 1";
        } else if (members.stream().noneMatch(member -> isNamedBy(hello, member))) {
            why = "no such member is known here";
        }
        return why == null ? null : refused(Reason.REASON_NOT_NOW, why, 0);
    }

    private static boolean isNamedBy(Hello hello, Member member) {
        return member.nodeId().equals(hello.getNodeId()) && member.incarnation() == hello.getIncarnation();
    }
}
