package io.godwit.dist.peer.link;

import io.godwit.dist.member.Heartbeat;
import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.wire.LapsedMember;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.dist.wire.Serving;
import java.util.Set;
import java.util.stream.Collectors;

/** {@link Heartbeat}s on the CONTROL lane. */
public final class HeartbeatFrames {
    private HeartbeatFrames() {}

    public static PeerFrame encode(Heartbeat beat) {
        Serving.Builder serving = Serving.newBuilder()
                .setSince(beat.since())
                .setSent(beat.sentNanos())
                .setEcho(beat.echoNanos())
                .setClosesUnreturned(beat.closesUnreturned());
        beat.givenUp()
                .forEach(lapse -> serving.addGivenUp(LapsedMember.newBuilder()
                        .setNodeId(lapse.life().nodeId())
                        .setIncarnation(lapse.life().incarnation())
                        .setSince(lapse.since())));
        return PeerFrame.newBuilder().setServing(serving).build();
    }

    /** Fails with {@link IllegalArgumentException} when it has more lapses than a view has members. */
    public static Heartbeat decode(Serving frame) {
        if (frame.getGivenUpCount() > MembersView.MAX_MEMBERS) {
            throw new IllegalArgumentException("a heartbeat with " + frame.getGivenUpCount() + " lapses");
        }
        Set<AgreedMember> givenUp = frame.getGivenUpList().stream()
                .map(lapse -> new AgreedMember(
                        new NodeLife(lapse.getNodeId(), lapse.getIncarnation()), MemberState.LAPSED, lapse.getSince()))
                .collect(Collectors.toSet());
        return new Heartbeat(frame.getSince(), frame.getSent(), frame.getEcho(), frame.getClosesUnreturned(), givenUp);
    }
}
