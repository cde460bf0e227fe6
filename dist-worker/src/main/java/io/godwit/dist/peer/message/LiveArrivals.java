package io.godwit.dist.peer.message;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LaneReceiver;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Strays;
import io.godwit.dist.deliver.OwnReceivers;
import io.godwit.dist.deliver.ServedReceivers;
import io.godwit.dist.deliver.SharedChoices;
import io.godwit.dist.deliver.SharedChoices.Claim;
import io.godwit.dist.index.TenantIndex;
import io.godwit.dist.index.TopicIndex;
import io.godwit.dist.index.share.SharedGroup;
import io.godwit.dist.index.share.SharedMember;
import io.godwit.dist.member.Members;
import io.godwit.dist.peer.filter.RemoteFilters;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.peer.link.PeerCounters;
import io.godwit.dist.wire.GroupAnswer;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Delivers messages of other nodes to the live sessions of this one. They are matched here, against the present
 * subscriptions, so that no other node needs to know no-local, overlapping subscriptions and their options. Never
 * delivers to stored sessions, which the publisher's node serves, nor to a third node. For a shared group for which the
 * other node has chosen this one, one live session here gets the message; the other node is told when there is none.
 * Runs on the link's thread, which delivers in order of arrival, as a publisher's own thread does. A publisher waits
 * while receivers are behind; so do later frames of the node.
 *
 * <p>A message with a token goes to no group if, by the view of this node, the others have excluded its sender: the
 * node that resumes the message may have chosen again (ADR 60).
 */
public final class LiveArrivals {
    private final Members members;
    private final TopicIndex index;
    private final Deliverer live;
    private final ServedReceivers served;
    private final SharedChoices choices;
    private final PeerCounters counters;
    private final LongSupplier wallMillis;

    public LiveArrivals(Members members, OwnReceivers own, PeerCounters counters, LongSupplier wallMillis) {
        this.members = members;
        this.index = own.index();
        this.live = own.live();
        this.served = own.served();
        this.choices = own.choices();
        this.counters = counters;
        this.wallMillis = wallMillis;
    }

    /**
     * Fails with {@link IllegalArgumentException} when the bytes are no frame of this lane.
     *
     * @return complete once the receivers are no longer behind; the next frame waits for it
     */
    public CompletableFuture<?> arrived(Peer from, byte[] bytes) {
        LiveFrame frame = LiveFrame.decode(from.version(), bytes, wallMillis.getAsLong());
        counters.received.increment();
        TenantIndex tenant = index.known(frame.tenant());
        CompletableFuture<?> plain = LaneReceiver.READY;
        if (tenant != null && frame.isForPlain()) { // else the last subscriber is gone, and a report follows
            plain = deliverPlain(from, frame, tenant);
        }
        if (frame.groups().isEmpty()) {
            return plain;
        }
        CompletableFuture<?> shared = deliverToGroups(from, frame, tenant);
        return plain.isDone() ? shared : CompletableFuture.allOf(plain, shared);
    }

    private CompletableFuture<?> deliverPlain(Peer from, LiveFrame frame, TenantIndex tenant) {
        List<Match> matches =
                tenant.match(frame.message().topic(), frame.publisher()).live();
        DeliveryToken token = frame.token();
        List<Match> unserved = token == null || matches.isEmpty() ? matches : served.unserved(token, matches);
        return unserved.isEmpty()
                ? LaneReceiver.READY
                : live.deliver(new Delivery(publisher(from, frame), frame.message(), unserved, token));
    }

    /** Whether a frame rests on a choice of its sender that no longer counts. */
    private boolean isVoid(Peer from, LiveFrame frame) {
        return frame.servingSince() != 0 && members.isPast(RemoteFilters.lifeOf(from), frame.servingSince());
    }

    /** Answers with the indexes of the groups that have no member for the message. */
    private CompletableFuture<?> deliverToGroups(Peer from, LiveFrame frame, @Nullable TenantIndex tenant) {
        boolean isRefused = isVoid(from, frame);
        List<Integer> declined = new ArrayList<>(0);
        List<Match> chosen = new ArrayList<>(1);
        DeliveryToken token = frame.token();
        for (int i = 0; i < frame.groups().size() && !isRefused; i++) {
            TopicFilter filter = frame.groups().get(i);
            if (token != null && choices.isGivenHere(token, filter)) {
                continue; // a repeat
            }
            boolean isOpen = token == null || !choices.isDeclined(token, filter);
            SharedGroup group = tenant == null || !isOpen ? null : tenant.group(filter);
            SharedMember member = group == null
                    ? null
                    : group.pickHere(frame.publisher(), frame.message().topic(), frame.asked());
            if (group == null || member == null) {
                declined.add(i);
                if (token != null) {
                    choices.declined(token, filter);
                }
            } else {
                Claim claim =
                        token == null ? Claim.MADE : choices.claim(token, group, member, () -> isVoid(from, frame));
                isRefused = claim == Claim.VOID;
                if (claim == Claim.MADE) {
                    chosen.add(member.match());
                }
            }
        }
        CompletableFuture<?> delivered = LaneReceiver.READY;
        if (!chosen.isEmpty()) {
            delivered = live.deliver(new Delivery(
                    publisher(from, frame),
                    frame.message(),
                    chosen,
                    token,
                    Strays.OF_ANOTHER_NODE,
                    Resend.ALWAYS,
                    frame.asked()));
        }
        counters.declined.add(declined.size());
        if (frame.number() != 0) {
            answer(from, frame.number(), declined, isRefused);
        }
        return delivered;
    }

    private static void answer(Peer from, long number, List<Integer> declined, boolean isRefused) {
        GroupAnswer answer = GroupAnswer.newBuilder()
                .setFrame(number)
                .addAllDeclined(declined)
                .setRefused(isRefused)
                .build();
        from.send(
                Lane.CONTROL,
                ControlFrames.encode(
                        PeerFrame.newBuilder().setGroupAnswer(answer).build()));
    }

    private static ClientInfo publisher(Peer from, LiveFrame frame) {
        return new ClientInfo(frame.tenant(), frame.publisher(), null, from.nodeId(), frame.protocolLevel());
    }
}
