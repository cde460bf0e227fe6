package io.godwit.cluster.link.connection;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LinkSettings;
import io.godwit.cluster.link.message.LinkMessage;
import io.godwit.cluster.link.message.LinkProtocolException;
import io.godwit.cluster.link.message.LinkVersions;
import io.godwit.cluster.link.message.VersionRange;
import io.godwit.cluster.link.wire.Accepted;
import io.godwit.cluster.link.wire.Answer;
import io.godwit.cluster.link.wire.End;
import io.godwit.cluster.link.wire.Hello;
import io.godwit.cluster.link.wire.Position;
import io.godwit.cluster.link.wire.Reason;
import io.godwit.cluster.link.wire.Refused;
import io.godwit.cluster.member.Member;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds and checks the first messages of a stream. A hello is accepted if it names this process, its cluster, and a
 * member with the incarnation that the membership knows. Of two nodes the one with the lower id dials.
 *
 * <p>The hello names the versions of links and of frames that the dialing end supports. The other end chooses the
 * highest common version of each, or refuses. Each end names the largest frame that it accepts; neither sends a larger
 * one.
 */
public final class Handshake {
    /** No peer counts this far. Bounds the number that a peer sends, so that counting on from it cannot overflow. */
    public static final long MAX_SESSION = 1L << 62;
    /** The version of frames of releases that do not announce one. */
    private static final int UNTOLD_PAYLOAD = 1;

    private final String selfId;
    private final long selfIncarnation;
    private final LinkSettings settings;
    private final LinkVersions versions;
    private final int maxFrameBytes;

    /** @param maxFrameBytes the largest frame that this node accepts */
    public Handshake(
            String selfId, long selfIncarnation, LinkSettings settings, LinkVersions versions, int maxFrameBytes) {
        this.selfId = selfId;
        this.selfIncarnation = selfIncarnation;
        this.settings = settings;
        this.versions = versions;
        this.maxFrameBytes = maxFrameBytes;
    }

    public boolean isSelf(String nodeId) {
        return nodeId.equals(selfId);
    }

    public boolean dials(String nodeId) {
        return selfId.compareTo(nodeId) < 0;
    }

    public Hello hello(String nodeId, long incarnation, long session, long attempt, long[] expected) {
        return Hello.newBuilder()
                .setLeastVersion(versions.layout().least())
                .setMostVersion(versions.layout().most())
                .setLeastPayload(versions.payload().least())
                .setMostPayload(versions.payload().most())
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

    public Answer accepted(Agreement agreement, long[] expected) {
        return Answer.newBuilder()
                .setAccepted(Accepted.newBuilder()
                        .setVersion(agreement.layout())
                        .setPayloadVersion(agreement.payload())
                        .setReceives(receives(expected)))
                .build();
    }

    public static Answer refused(Reason reason, String words, long session) {
        return Answer.newBuilder()
                .setRefused(
                        Refused.newBuilder().setReason(reason).setWords(words).setSession(session))
                .build();
    }

    private End receives(long[] expected) {
        End.Builder end =
                End.newBuilder().setWindowBytes(settings.windowBytes()).setMaxFrameBytes(maxFrameBytes);
        for (Lane lane : Lane.values()) {
            end.addPositions(Position.newBuilder().setLane(lane.number()).setNext(expected[lane.ordinal()]));
        }
        return end.build();
    }

    /** Passes on to the connection what the dialing end is ready to receive. The hello was not refused. */
    public void hear(LinkConnection connection, Hello hello) throws LinkProtocolException {
        hear(connection, hello.getReceives(), layoutOf(hello), payloadOf(hello));
    }

    /** Passes on to the connection what the other end has chosen and is ready to receive. */
    public void hear(LinkConnection connection, Accepted accepted) throws LinkProtocolException {
        int layout = accepted.getVersion();
        int payload = accepted.getPayloadVersion() == 0 ? UNTOLD_PAYLOAD : accepted.getPayloadVersion();
        if (!versions.layout().includes(layout) || !versions.payload().includes(payload)) {
            throw new LinkProtocolException("version " + layout + " of links with " + payload
                    + " of frames was chosen, this node offered " + versions);
        }
        hear(connection, accepted.getReceives(), layout, payload);
    }

    private void hear(LinkConnection connection, End end, int layout, int payload) throws LinkProtocolException {
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
        long theirs = end.getMaxFrameBytes() == 0 ? maxFrameBytes : end.getMaxFrameBytes();
        if (theirs < LinkSettings.LEAST_FRAME_BYTES) {
            throw new LinkProtocolException("the other end accepts frames of " + theirs + " bytes");
        }
        connection.hear(
                next, end.getWindowBytes(), new Agreement(layout, payload, (int) Math.min(maxFrameBytes, theirs)));
    }

    /** The version of links to use with the sender of {@code hello}; 0 if there is no common one. */
    private int layoutOf(Hello hello) {
        return common(versions.layout(), hello.getLeastVersion(), hello.getMostVersion());
    }

    private int payloadOf(Hello hello) {
        boolean isTold = hello.getLeastPayload() != 0 || hello.getMostPayload() != 0;
        return isTold
                ? common(versions.payload(), hello.getLeastPayload(), hello.getMostPayload())
                : common(versions.payload(), UNTOLD_PAYLOAD, UNTOLD_PAYLOAD);
    }

    /**
     * The highest common version; 0 if there is none. The peer chooses {@code least} and {@code most}, which are
     * unsigned; an empty range has no common version with any other.
     */
    private static int common(VersionRange own, int least, int most) {
        long from = Integer.toUnsignedLong(least);
        long to = Math.min(Integer.toUnsignedLong(most), Integer.MAX_VALUE);
        return from < 1 || from > to ? 0 : own.highestCommon(new VersionRange((int) from, (int) to));
    }

    private static String range(int least, int most) {
        return Integer.toUnsignedString(least) + " to " + Integer.toUnsignedString(most);
    }

    /** Why {@code hello} is refused; null if it is accepted. */
    public @Nullable Answer refusal(Hello hello, List<Member> members) {
        if (layoutOf(hello) == 0) {
            return refused(
                    Reason.REASON_VERSION,
                    "this node supports " + versions.layout() + " of links, not "
                            + range(hello.getLeastVersion(), hello.getMostVersion()),
                    0);
        }
        if (payloadOf(hello) == 0) {
            return refused(
                    Reason.REASON_VERSION,
                    "this node supports " + versions.payload() + " of frames, not "
                            + range(hello.getLeastPayload(), hello.getMostPayload()),
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
            why = "only the node with the lower id opens the connection";
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
