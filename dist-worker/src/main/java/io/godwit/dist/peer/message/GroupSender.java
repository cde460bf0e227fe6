package io.godwit.dist.peer.message;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Match;
import io.godwit.dist.deliver.Outcomes;
import io.godwit.dist.index.compact.NodeSet;
import io.godwit.dist.peer.filter.RemoteFilters;
import io.godwit.dist.peer.filter.RemoteMember;
import io.godwit.dist.peer.link.ClusterParts;
import io.godwit.dist.peer.link.PeerCounters;
import io.godwit.dist.peer.wait.ExclusionRequests;
import io.godwit.dist.wire.GroupAnswer;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

/**
 * A deliverer of live sessions that sends matches of a {@link RemoteMember} to its node, and passes the others on. One
 * frame serves all groups that have chosen the same node. Thread-safe: publishers send, threads of the links bring
 * answers.
 *
 * <p>A message of QoS 1 or 2 waits until the node has answered that one of its members has it. While the link is full,
 * the message waits before that ({@link HeldMessages}). When the node has no member left, this node chooses another
 * one. When the peer is over before the answer, nobody knows whether a member there has the message; another is chosen
 * once that incarnation of the node is excluded, and its sessions with it. The number of waiting messages is bounded by
 * what publishers may have unacknowledged.
 *
 * <p>A node that knows that the others have excluded this one refuses messages with a token: they are given up.
 *
 * <p>When the member's node does not accept a message of this size, another member is chosen; without another the
 * publish fails.
 */
public final class GroupSender implements Deliverer {
    /** Each round skips a node for a while, so only a group whose members come and go at this pace fails. */
    static final int MAX_ROUNDS = 5;

    /**
     * A frame names several groups only while their filters together have no more characters than this, so the frame is
     * little larger than its message.
     */
    static final int MAX_FILTER_CHARS = 32 * 1024;

    /** One frame: the matches of the delivery are of one peer, each of another group. */
    private record Asked(Peer peer, Delivery delivery, int round, CompletableFuture<DistOutcome> outcome) {}

    private final Deliverer live;
    private final BiFunction<Delivery, Deliverer, CompletableFuture<DistOutcome>> another;
    private final Links links;
    private final HeldMessages held;
    private final PeerTokens tokens;
    private final ExclusionRequests exclusions;
    private final PeerCounters counters;
    private final EventListener events;
    private final LongSupplier wallMillis;
    private final AtomicLong numbers = new AtomicLong();
    /** Frames that wait for an answer, by their number; messages left by a lost peer continue in this order. */
    private final ConcurrentSkipListMap<Long, Asked> asked = new ConcurrentSkipListMap<>();

    /**
     * @param live gets deliveries to sessions of this node
     * @param another gives a delivery with one receiver to another member of the group, using the deliverer of live
     *     receivers that it is passed
     */
    public GroupSender(
            Deliverer live,
            BiFunction<Delivery, Deliverer, CompletableFuture<DistOutcome>> another,
            ClusterParts parts,
            HeldMessages held,
            PeerTokens tokens,
            ExclusionRequests exclusions,
            PeerCounters counters,
            EventListener events) {
        this.live = live;
        this.another = another;
        this.links = parts.links();
        this.held = held;
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

    /** Matches of groups are last in the list. */
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
        Map<Peer, List<Match>> elsewhere = new LinkedHashMap<>();
        for (Match match : delivery.matches()) {
            if (match.receiver() instanceof RemoteMember member) {
                elsewhere
                        .computeIfAbsent(peerNow(member), peer -> new ArrayList<>(1))
                        .add(match);
            } else {
                here.add(match);
            }
        }
        CompletableFuture<DistOutcome> outcome = DELIVERED;
        for (Map.Entry<Peer, List<Match>> of : elsewhere.entrySet()) {
            for (List<Match> groups : frames(of.getValue())) {
                outcome = Outcomes.worst(outcome, send(delivery.part(groups), of.getKey(), round));
            }
        }
        return here.isEmpty() ? outcome : Outcomes.worst(outcome, live.deliver(delivery.part(here)));
    }

    /** Divides the matches into frames. */
    private static List<List<Match>> frames(List<Match> groups) {
        if (groups.size() == 1) {
            return List.of(groups);
        }
        List<List<Match>> frames = new ArrayList<>(1);
        int chars = MAX_FILTER_CHARS;
        for (Match group : groups) {
            chars += filterOf(group).text().length();
            if (chars > MAX_FILTER_CHARS) {
                chars = filterOf(group).text().length();
                frames.add(new ArrayList<>());
            }
            frames.get(frames.size() - 1).add(group);
        }
        return frames;
    }

    private static boolean readsStrategies(Match group) {
        return ((RemoteMember) group.receiver()).readsStrategies();
    }

    private static TopicFilter filterOf(Match group) {
        return ((RemoteMember) group.receiver()).filter();
    }

    private CompletableFuture<DistOutcome> send(Delivery delivery, Peer peer, int round) {
        DeliveryToken token = delivery.token();
        if (delivery.message().qos() == Qos.AT_MOST_ONCE && token == null) {
            sendUnanswered(delivery, peer);
            return DELIVERED;
        }
        if (token != null) {
            tokens.given(token, NodeSet.NONE.with(peer));
        }
        Asked asking = new Asked(peer, delivery, round, new CompletableFuture<>());
        PublisherOrder order = PublisherOrder.of(delivery.publisher());
        int size = sizeAbout(delivery);
        if (held.isFull(peer, order, size)) {
            int heapBytes = delivery.message().heapBytes();
            held.hold(peer, order, size, heapBytes, token, delivery.resend(), later(asking));
        } else {
            send(asking);
        }
        return asking.outcome;
    }

    private HeldMessages.Sending later(Asked asking) {
        return new HeldMessages.Sending() {
            @Override
            public void send() {
                GroupSender.this.send(asking);
            }

            @Override
            public void refuse(DistOutcome why) {
                counters.refused.increment();
                asking.outcome.complete(why);
            }
        };
    }

    private void send(Asked asking) {
        long number = numbers.incrementAndGet();
        byte[] frame = frame(asking.peer, asking.delivery, number);
        if (frame.length > asking.peer.maxFrameBytes()) {
            counters.tooLarge.increment();
            tooLarge(asking);
            return;
        }
        asked.put(number, asking);
        counters.sent.increment();
        PublisherOrder order = PublisherOrder.of(asking.delivery.publisher());
        asking.peer.send(Lane.LIVE, frame, order, new Peer.Confirmation() {
            @Override
            public void confirmed() {
                // the answer says more
            }

            @Override
            public void lost() {
                if (asked.containsKey(number)) {
                    over(asking.peer);
                }
            }
        });
    }

    /** The peer's incarnation may be linked again while its old filters are still in the index. */
    private Peer peerNow(RemoteMember member) {
        Peer known = member.peer();
        Peer now = links.peer(known.nodeId());
        return now != null && now.incarnation() == known.incarnation() ? now : known;
    }

    /** The groups may have members only there, and those were sent nothing. */
    private void tooLarge(Asked asking) {
        Asked instead = new Asked(asking.peer, asking.delivery, asking.round, new CompletableFuture<>());
        instead.outcome.thenAccept(of -> asking.outcome.complete(of == DistOutcome.NO_MATCH ? DistOutcome.FAILED : of));
        chooseAnother(instead, instead.delivery.matches());
    }

    private void sendUnanswered(Delivery delivery, Peer peer) {
        PublisherOrder order = PublisherOrder.of(delivery.publisher());
        if (held.isFull(peer, order, sizeAbout(delivery))) {
            counters.dropped.add(delivery.matches().size());
            dropped(delivery, peer, DropReason.LINK_FULL);
            return;
        }
        byte[] frame = frame(peer, delivery, 0);
        if (frame.length > peer.maxFrameBytes()) {
            counters.tooLarge.increment();
            dropped(delivery, peer, DropReason.PACKET_TOO_LARGE);
            return;
        }
        counters.sent.increment();
        peer.send(Lane.LIVE, frame, order, null);
    }

    private void dropped(Delivery delivery, Peer peer, DropReason why) {
        if (events.isListening(BrokerEvent.MessageDropped.class)) {
            delivery.matches()
                    .forEach(group -> events.onEvent(new BrokerEvent.MessageDropped(
                            delivery.publisher().tenant(),
                            new ClientId(peer.nodeId()),
                            delivery.message().topic(),
                            why)));
        }
    }

    private byte[] frame(Peer peer, Delivery delivery, long number) {
        return LiveFrame.encode(
                peer.version(),
                delivery.publisher(),
                delivery.message(),
                delivery.token(),
                wallMillis.getAsLong(),
                false,
                delivery.matches().stream().map(GroupSender::filterOf).toList(),
                number,
                delivery.resend().servingSince(),
                readsStrategies(delivery.matches().get(0)) ? delivery.asked() : null);
    }

    private static int sizeAbout(Delivery delivery) {
        return LiveFrame.sizeAbout(delivery.publisher(), delivery.message());
    }

    /** Fails with {@link IllegalArgumentException} when the peer was not asked. */
    public void answered(Peer from, GroupAnswer answer) {
        Asked known = asked.get(answer.getFrame());
        List<Integer> declined = answer.getDeclinedList();
        if (known == null || !known.peer.equals(from) || !arePlaces(declined, known.delivery.matches())) {
            throw new IllegalArgumentException("an answer to no question, frame " + answer.getFrame());
        }
        if (!asked.remove(answer.getFrame(), known)) {
            return;
        }
        if (answer.getRefused()) { // as if abandoned while it waits: the node that resumes it has chosen again
            counters.refused.increment();
            known.outcome.complete(DistOutcome.FAILED);
        } else {
            chooseAnother(
                    known,
                    declined.stream()
                            .map(place -> known.delivery.matches().get(place))
                            .toList());
        }
    }

    /** Whether each is a valid index, once and in order. */
    private static boolean arePlaces(List<Integer> places, List<Match> in) {
        int before = -1;
        for (int place : places) {
            if (place <= before || place >= in.size()) {
                return false;
            }
            before = place;
        }
        return true;
    }

    /** No more answers come from the peer. */
    public void over(Peer peer) {
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
                .insist(
                        RemoteFilters.lifeOf(peer),
                        "messages to it were not answered",
                        () -> RemoteFilters.isNotBack(peer, links))
                .whenComplete((agreed, failure) -> {
                    if (failure == null) {
                        lost.forEach(waiting -> chooseAnother(waiting, waiting.delivery.matches()));
                    } else {
                        lost.forEach(waiting -> waiting.outcome.complete(DistOutcome.FAILED));
                    }
                });
    }

    /** Chooses another member for the groups whose members there did not get the message. */
    private void chooseAnother(Asked before, List<Match> groups) {
        boolean hasOthers = groups.size() < before.delivery.matches().size();
        CompletableFuture<DistOutcome> all =
                CompletableFuture.completedFuture(hasOthers ? DistOutcome.DELIVERED : DistOutcome.NO_MATCH);
        for (Match group : groups) {
            all = all.thenCombine(chooseAnother(before, group), Outcomes::worst);
        }
        all.whenComplete((outcome, failure) ->
                before.outcome.complete(failure == null ? outcome : DistOutcome.ofFailure(failure)));
    }

    private CompletableFuture<DistOutcome> chooseAnother(Asked before, Match group) {
        return before.round == MAX_ROUNDS
                ? CompletableFuture.completedFuture(DistOutcome.FAILED)
                : another.apply(before.delivery.only(group), delivery -> deliver(delivery, before.round + 1));
    }

    /** Number of frames that wait for an answer. */
    public int waiting() {
        return asked.size();
    }
}
