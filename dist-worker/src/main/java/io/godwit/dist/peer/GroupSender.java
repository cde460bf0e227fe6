package io.godwit.dist.peer;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Match;
import io.godwit.dist.deliver.Outcomes;
import io.godwit.dist.route.NodeSet;
import io.godwit.dist.wire.GroupAnswer;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

/**
 * Stands before the deliverer of live sessions: what a shared group has chosen a {@link RemoteMember} for goes to its
 * node, one frame for each, and the rest on. Thread-safe: publishers send, threads of the links bring answers.
 *
 * <p>At QoS 1 and 2 it waits until the node has answered that one of its members has the message. When it has none left
 * another member is chosen here. When the peer is over first, nobody knows whether a member there has it; another is
 * chosen once that life of the node is agreed to be out, and its sessions with it. What waits is bounded by what
 * publishers may have unacknowledged.
 *
 * <p>When the node of the member does not accept a message of this size, another member is chosen; without another the
 * publish fails.
 */
final class GroupSender implements Deliverer {
    /**
     * Each takes a node out of the choice for a while; so only a group whose members come and go at this pace fails.
     */
    static final int MAX_ROUNDS = 5;

    private record Asked(Peer peer, Delivery delivery, int round, CompletableFuture<DistOutcome> outcome) {}

    private final Deliverer live;
    private final BiFunction<Delivery, Deliverer, CompletableFuture<DistOutcome>> another;
    private final Links links;
    private final PeerTokens tokens;
    private final Exclusions exclusions;
    private final PeerCounters counters;
    private final EventListener events;
    private final LongSupplier wallMillis;
    private final AtomicLong numbers = new AtomicLong();
    /** What waits for its answer, by the number of its frame; what a peer leaves behind goes on in this order. */
    private final ConcurrentSkipListMap<Long, Asked> asked = new ConcurrentSkipListMap<>();

    /**
     * @param live takes what is for sessions of this node
     * @param another gives a delivery with one receiver to another member of the group, with the deliverer of live
     *     receivers to use for it
     */
    GroupSender(
            Deliverer live,
            BiFunction<Delivery, Deliverer, CompletableFuture<DistOutcome>> another,
            ClusterParts parts,
            PeerTokens tokens,
            Exclusions exclusions,
            PeerCounters counters,
            EventListener events) {
        this.live = live;
        this.another = another;
        this.links = parts.links();
        this.tokens = tokens;
        this.exclusions = exclusions;
        this.counters = counters;
        this.events = events;
        this.wallMillis = parts.wallMillis();
    }

    @Override
    public CompletableFuture<DistOutcome> deliver(Delivery delivery) {
        return deliver(delivery, 1);
    }

    private CompletableFuture<DistOutcome> deliver(Delivery delivery, int round) {
        return hasRemote(delivery.matches()) ? deliverApart(delivery, round) : live.deliver(delivery);
    }

    /** Those that groups have chosen stand at the end. */
    private static boolean hasRemote(List<Match> matches) {
        for (int i = matches.size() - 1; i >= 0 && matches.get(i).sharedBy() != null; i--) {
            if (matches.get(i).receiver() instanceof RemoteMember) {
                return true;
            }
        }
        return false;
    }

    private CompletableFuture<DistOutcome> deliverApart(Delivery delivery, int round) {
        List<Match> here = new ArrayList<>();
        CompletableFuture<DistOutcome> outcome = DELIVERED;
        for (Match match : delivery.matches()) {
            if (match.receiver() instanceof RemoteMember member) {
                outcome = Outcomes.worst(outcome, send(delivery.only(match), member, round));
            } else {
                here.add(match);
            }
        }
        return here.isEmpty()
                ? outcome
                : Outcomes.worst(
                        outcome,
                        live.deliver(new Delivery(
                                delivery.publisher(),
                                delivery.message(),
                                here,
                                delivery.token(),
                                delivery.strays(),
                                delivery.resend())));
    }

    private CompletableFuture<DistOutcome> send(Delivery delivery, RemoteMember member, int round) {
        Peer peer = peerNow(member);
        DeliveryToken token = delivery.token();
        if (delivery.message().qos() == Qos.AT_MOST_ONCE && token == null) {
            sendUnanswered(delivery, member, peer);
            return DELIVERED;
        }
        if (token != null) {
            tokens.given(token, NodeSet.NONE.with(peer));
        }
        long number = numbers.incrementAndGet();
        CompletableFuture<DistOutcome> outcome = new CompletableFuture<>();
        Asked asking = new Asked(peer, delivery, round, outcome);
        byte[] frame = frame(peer, delivery, member, number);
        if (frame.length > peer.maxFrameBytes()) {
            counters.tooLarge.increment();
            chooseAnother(asking);
            // the only member is there, and was sent nothing
            return outcome.thenApply(of -> of == DistOutcome.NO_MATCH ? DistOutcome.FAILED : of);
        }
        asked.put(number, asking);
        counters.sent.increment();
        peer.send(Lane.LIVE, frame, new Peer.Confirmation() {
            @Override
            public void confirmed() {
                // the answer says more
            }

            @Override
            public void lost() {
                if (asked.containsKey(number)) {
                    over(peer);
                }
            }
        });
        return outcome;
    }

    /** The same life of the node may be linked anew, and what it told before not be forgotten yet. */
    private Peer peerNow(RemoteMember member) {
        Peer known = member.peer();
        Peer now = links.peer(known.nodeId());
        return now != null && now.incarnation() == known.incarnation() ? now : known;
    }

    private void sendUnanswered(Delivery delivery, RemoteMember member, Peer peer) {
        DropReason why = DropReason.LINK_FULL;
        if (peer.isWritable(Lane.LIVE)) {
            byte[] frame = frame(peer, delivery, member, 0);
            if (frame.length <= peer.maxFrameBytes()) {
                counters.sent.increment();
                peer.send(Lane.LIVE, frame);
                return;
            }
            counters.tooLarge.increment();
            why = DropReason.PACKET_TOO_LARGE;
        } else {
            counters.dropped.increment();
        }
        if (events.isListening(BrokerEvent.MessageDropped.class)) {
            events.onEvent(new BrokerEvent.MessageDropped(
                    member.tenant(),
                    new ClientId(peer.nodeId()),
                    delivery.message().topic(),
                    why));
        }
    }

    private byte[] frame(Peer peer, Delivery delivery, RemoteMember member, long number) {
        return LiveFrame.encode(
                peer.version(),
                delivery.publisher(),
                delivery.message(),
                delivery.token(),
                wallMillis.getAsLong(),
                false,
                List.of(member.filter()),
                number);
    }

    /** Fails with {@link IllegalArgumentException} when it answers nothing that the peer was asked. */
    void answered(Peer from, GroupAnswer answer) {
        Asked known = asked.get(answer.getFrame());
        boolean isDeclined = answer.getDeclinedCount() > 0;
        if (known == null
                || !known.peer.equals(from)
                || isDeclined && !answer.getDeclinedList().equals(List.of(0))) {
            throw new IllegalArgumentException("an answer to no question, frame " + answer.getFrame());
        }
        if (asked.remove(answer.getFrame(), known)) {
            if (isDeclined) {
                chooseAnother(known);
            } else {
                known.outcome.complete(DistOutcome.DELIVERED);
            }
        }
    }

    /** No answer of the peer comes any more. */
    void over(Peer peer) {
        List<Asked> lost = new ArrayList<>();
        asked.forEach((number, waiting) -> {
            if (waiting.peer.equals(peer) && asked.remove(number, waiting)) {
                lost.add(waiting);
            }
        });
        if (lost.isEmpty()) {
            return;
        }
        counters.lost.add(lost.size());
        exclusions
                .exclude(RemoteFilters.lifeOf(peer), "messages to it were not answered")
                .whenComplete((agreed, failure) -> {
                    if (failure == null) {
                        lost.forEach(this::chooseAnother);
                    } else {
                        lost.forEach(waiting -> waiting.outcome.complete(DistOutcome.FAILED));
                    }
                });
    }

    private void chooseAnother(Asked before) {
        if (before.round == MAX_ROUNDS) {
            before.outcome.complete(DistOutcome.FAILED);
            return;
        }
        another.apply(before.delivery, delivery -> deliver(delivery, before.round + 1))
                .whenComplete((outcome, failure) ->
                        before.outcome.complete(failure == null ? outcome : DistOutcome.ofFailure(failure)));
    }

    /** Messages that wait for an answer. */
    int waiting() {
        return asked.size();
    }
}
