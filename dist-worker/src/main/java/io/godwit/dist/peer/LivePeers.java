package io.godwit.dist.peer;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LaneReceiver;
import io.godwit.cluster.link.LinkListener;
import io.godwit.cluster.link.Links;
import io.godwit.cluster.link.Peer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.deliver.ChosenElsewhere;
import io.godwit.dist.deliver.OtherNodes;
import io.godwit.dist.deliver.OwnReceivers;
import io.godwit.dist.deliver.ServedReceivers;
import io.godwit.dist.deliver.SharedChoices;
import io.godwit.dist.index.compact.NodeSet;
import io.godwit.dist.index.share.GroupMember;
import io.godwit.dist.member.Heartbeat;
import io.godwit.dist.member.Members;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.dist.peer.choice.ChoiceQuestions;
import io.godwit.dist.peer.choice.StickyReports;
import io.godwit.dist.peer.filter.Learning;
import io.godwit.dist.peer.filter.LiveFilters;
import io.godwit.dist.peer.filter.PeerBarriers;
import io.godwit.dist.peer.filter.RemoteFilters;
import io.godwit.dist.peer.link.ClusterParts;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.peer.link.HeartbeatFrames;
import io.godwit.dist.peer.link.PeerCounters;
import io.godwit.dist.peer.message.GroupSender;
import io.godwit.dist.peer.message.HeldMessages;
import io.godwit.dist.peer.message.LiveArrivals;
import io.godwit.dist.peer.message.NodeSender;
import io.godwit.dist.peer.message.PeerTokens;
import io.godwit.dist.peer.wait.ExclusionRequests;
import io.godwit.dist.peer.wait.MemberWaits;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.kv.client.Deadline;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The dist-worker's side of the links to the other nodes. Thread-safe.
 *
 * <p>In order of events: a peer joins and is sent this node's live filters ({@link LiveFilters}); its own filters go
 * into the index ({@link RemoteFilters}). A SUBSCRIBE of a live session waits until all members have confirmed its
 * filter, one of a stored session until all have applied its route ({@link MemberWaits}, {@link PeerBarriers}). A
 * publish whose match contains peers is sent to them ({@link NodeSender}) and matched again there
 * ({@link LiveArrivals}). A publish for which a shared group has chosen a peer's members is sent by
 * {@link GroupSender}. While a link is full a message waits ({@link HeldMessages}).
 *
 * <p>The wiring passes it the frames of the LIVE lane and those of the CONTROL lane that begin with
 * {@link #CONTROL_TYPE}, and adds it to the links as a listener. It is closed before the links, so that peers lost
 * after that are not excluded.
 */
public final class LivePeers implements OtherNodes, LinkListener, AutoCloseable {
    /** The first byte of its frames on the CONTROL lane. */
    public static final byte CONTROL_TYPE = ControlFrames.TYPE;

    private final Members members;
    private final ExclusionRequests exclusions;
    private final Links links;
    private final String nodeId;
    private final LongSupplier nanoTime;
    private final MemberWaits waits;
    private final LiveFilters filters;
    private final RemoteFilters remote;
    private final PeerBarriers barriers;
    private final Learning learning;
    private final PeerTokens tokens;
    private final HeldMessages held;
    private final NodeSender sender;
    private final GroupSender groups;
    private final ChoiceQuestions questions;
    private final StickyReports sticky;
    private final LiveArrivals arrivals;
    private final ServedReceivers served;
    private final SharedChoices choices;
    private final PeerCounters counters;

    /**
     * @param another gives a delivery with one receiver to another member of the group that chose it, using the
     *     deliverer of live receivers that it is passed
     */
    public LivePeers(
            ClusterParts parts,
            OwnReceivers own,
            BiFunction<Delivery, Deliverer, CompletableFuture<DistOutcome>> another,
            EventListener events,
            WaitReports reports,
            MeterRegistry meters) {
        this.members = parts.members();
        this.links = parts.links();
        this.nodeId = parts.nodeId();
        this.nanoTime = parts.nanoTime();
        this.served = own.served();
        this.choices = own.choices();
        this.exclusions = new ExclusionRequests(parts);
        this.waits = new MemberWaits(parts, exclusions, reports);
        this.filters = new LiveFilters(parts.timers(), parts.nanoTime(), parts.maxLiveFilterBytes());
        this.remote =
                new RemoteFilters(own.index(), exclusions, parts.timers(), parts.random(), parts.maxLiveFilterBytes());
        this.barriers = new PeerBarriers(parts.mirror(), filters, parts.timers(), parts.nanoTime());
        this.learning = new Learning(parts.links(), barriers);
        this.tokens = new PeerTokens(parts.timers());
        this.counters = new PeerCounters(meters);
        this.held = new HeldMessages(
                parts.timers(), parts.nanoTime(), parts.waits().heldMessage(), HeldMessages.defaultBytes(), reports);
        this.sender = new NodeSender(parts, held, tokens, exclusions, counters, events);
        this.groups = new GroupSender(own.live(), another, parts, held, tokens, exclusions, counters, events);
        this.questions = new ChoiceQuestions(parts, waits, choices, reports);
        this.sticky = new StickyReports(own.index(), parts.nodeId(), parts.timers());
        this.arrivals = new LiveArrivals(members, own, counters, parts.wallMillis());
        Gauge.builder("godwit.dist.peer.filters", filters, LiveFilters::size)
                .description("filters with live subscribers on this node, that other nodes are told of")
                .register(meters);
        Gauge.builder("godwit.dist.peer.filters.bytes", filters, LiveFilters::bytes)
                .baseUnit(BaseUnits.BYTES)
                .description("what these take in the memory of each other node, about")
                .register(meters);
        Gauge.builder("godwit.dist.peer.filters.others.bytes", remote, RemoteFilters::bytes)
                .baseUnit(BaseUnits.BYTES)
                .description("what the filters of other nodes' live subscribers take in the memory of this node, about")
                .register(meters);
        Gauge.builder("godwit.dist.peer.members", filters, LiveFilters::members)
                .description("stored members of shared groups whose client is connected to this node, that other nodes"
                        + " are told of")
                .register(meters);
        Gauge.builder("godwit.dist.peer.members.bytes", filters, LiveFilters::memberBytes)
                .baseUnit(BaseUnits.BYTES)
                .description("what these take in the memory of each other node, at most")
                .register(meters);
        Gauge.builder("godwit.dist.peer.members.untold", filters, LiveFilters::untoldMembers)
                .description("further such members, that other nodes are not told of for want of room")
                .register(meters);
        Gauge.builder("godwit.dist.peer.members.others.bytes", remote, RemoteFilters::memberBytes)
                .baseUnit(BaseUnits.BYTES)
                .description("what the connected members of other nodes take in the memory of this node, at most")
                .register(meters);
        Gauge.builder("godwit.dist.peer.held.bytes", held, HeldMessages::bytes)
                .baseUnit(BaseUnits.BYTES)
                .description("bytes of messages of QoS 1 and 2 that wait for room in the links to other nodes")
                .register(meters);
    }

    // --- events of links

    @Override
    public void joined(Peer peer) {
        // before its filters are known: messages that an earlier peer of the node did not confirm, or that wait for
        // it, must fail before later ones are sent to this one
        exclusions.reconsider(RemoteFilters.lifeOf(peer));
        held.followed(peer);
        remote.joined(peer);
        barriers.joined(peer);
        filters.joined(peer);
        questions.joined(peer);
        waits.joined();
        learning.joined(peer);
    }

    /** An exclusion requested by another component has completed. Any thread. */
    public void excluded(NodeLife life) {
        waits.excluded(life);
    }

    @Override
    public void over(Peer peer, String why) {
        filters.over(peer);
        barriers.over(peer);
        remote.over(peer, why);
        groups.over(peer);
        questions.over(peer);
        sticky.over(peer);
    }

    /**
     * Handles a frame of the LIVE lane. An invalid one ends the peer. The receiver must be {@link LaneReceiver#paced};
     * otherwise messages of peers pile up before sessions that are behind.
     */
    public CompletableFuture<?> onLive(Peer from, byte[] frame) {
        try {
            return arrivals.arrived(from, frame);
        } catch (IllegalArgumentException e) {
            from.abandon(String.valueOf(e.getMessage()));
            return LaneReceiver.READY;
        }
    }

    /** Handles a frame of the CONTROL lane, including its first byte. An invalid one ends the peer. */
    public void onControl(Peer from, byte[] frame) {
        try {
            onControl(from, ControlFrames.decode(from.version(), frame));
        } catch (IllegalArgumentException e) {
            from.abandon(String.valueOf(e.getMessage()));
        }
    }

    private void onControl(Peer from, PeerFrame frame) {
        switch (frame.getKindCase()) {
            case FILTERS -> {
                remote.apply(from, frame.getFilters());
                if (frame.getFilters().getReadsStrategies()) {
                    sticky.reads(from);
                }
            }
            case BARRIER -> barriers.asked(from, frame.getBarrier());
            case BARRIER_DONE -> barriers.answered(from, frame.getBarrierDone());
            case FINISHED ->
                frame.getFinished()
                        .getTokensList()
                        .forEach(token -> finishedHere(token.getOrigin(), token.getNumber()));
            case GROUP_ANSWER -> groups.answered(from, frame.getGroupAnswer());
            case CHOICE_QUESTION -> questions.asked(from, frame.getChoiceQuestion());
            case CHOICE_ANSWER -> questions.answered(from, frame.getChoiceAnswer());
            case STICKY_CHOICES -> sticky.arrived(from, frame.getStickyChoices());
            case SERVING -> members.heard(RemoteFilters.lifeOf(from), HeartbeatFrames.decode(frame.getServing()));
            case KIND_NOT_SET -> throw new AssertionError("was decoded");
        }
    }

    private void finishedHere(String origin, long number) {
        choices.finished(origin, number);
        served.finished(origin, number);
    }

    // --- for publishes

    /** The deliverer for live receivers, including those that represent members of shared groups on other nodes. */
    public Deliverer live() {
        return groups;
    }

    /** Number of messages that wait for another node's answer about a shared group. */
    public int waitingForGroups() {
        return groups.waiting() + questions.waiting();
    }

    @Override
    public long epoch() {
        return members.epoch();
    }

    @Override
    public boolean mayAcknowledge(long epoch) {
        return members.mayAcknowledge(epoch);
    }

    @Override
    public CompletableFuture<Boolean> untilMayAcknowledge() {
        return members.untilMayAcknowledge();
    }

    @Override
    public CompletableFuture<Boolean> untilMayAcknowledge(long epoch) {
        return members.untilMayAcknowledge(epoch);
    }

    @Override
    public CompletableFuture<DistOutcome> deliver(
            ClientInfo publisher, Message message, @Nullable DeliveryToken token, NodeSet nodes, Resend resend) {
        return sender.deliver(publisher, message, token, nodes, resend);
    }

    @Override
    public CompletableFuture<List<ChosenElsewhere>> chosen(TenantId tenant, DeliveryToken token) {
        return questions.ask(tenant, token);
    }

    @Override
    public void finished(String tokenOrigin, long tokenNumber) {
        tokens.finished(tokenOrigin, tokenNumber);
    }

    // --- for subscriptions

    /**
     * A new live subscription is in force in the index.
     *
     * @param ofSession approximate bytes of all filters of its session
     * @return false when other nodes have no room for the filter; the caller must remove it from the index
     */
    public boolean subscribed(TenantId tenant, TopicFilter filter, long ofSession) {
        boolean hasRoom = filters.added(tenant, filter, ofSession);
        if (!hasRoom) {
            counters.filtersRefused.increment();
        }
        return hasRoom;
    }

    /** A live subscription is no longer in force. */
    public void unsubscribed(TenantId tenant, TopicFilter filter) {
        filters.removed(tenant, filter);
    }

    /**
     * The client of a stored member of a shared group is connected to this node, or not any more. The other nodes learn
     * it a little later; nobody waits for that. Any thread.
     */
    public void setConnected(GroupMember member, boolean isConnected) {
        filters.setConnected(member, isConnected);
    }

    /** A sticky group keeps a member that this node would not choose now. The other nodes follow. Any thread. */
    public void keeps(TenantId tenant, TopicFilter filter, Receiver receiver) {
        sticky.keeps(tenant, filter, receiver);
    }

    /**
     * Completes when every other member sends messages that match the filter to this node, where the filter has a live
     * subscriber, and this node has proved that it serves. Fails with {@link RangeException} when a member does not
     * confirm and its exclusion could not be agreed on, or without the proof.
     */
    public CompletableFuture<Void> untilAllKnow(TenantId tenant, TopicFilter filter) {
        long epoch = members.epoch();
        return waits.all("a live subscription", (peer, told) -> filters.whenTold(peer, tenant, filter, told))
                .thenCompose(known -> members.untilMayAcknowledge(epoch))
                .thenAccept(LivePeers::orRefuse);
    }

    /** Others may have excluded this node, and then do not wait for its subscriptions. */
    private static void orRefuse(boolean mayPromise) {
        if (!mayPromise) {
            throw new CompletionException(new RangeException(
                    RangeException.Cause.OVERLOADED, "this node cannot prove that the others count it as a member"));
        }
    }

    /**
     * Completes when this node has applied what was committed to the dist store before the call; fails with
     * {@link io.godwit.kv.client.RangeException} when it could not by the deadline.
     */
    public CompletableFuture<Void> untilAppliedHere(Deadline deadline) {
        return barriers.catchUpHere(deadline);
    }

    /**
     * The same for every other member. They are asked now, while this node applies it too.
     *
     * @return what to wait with, after {@link #untilAppliedHere}: while a range has no leader no node can apply, and no
     *     member should be excluded for that. The wait fails with {@link io.godwit.kv.client.RangeException} when a
     *     member has not applied it and its exclusion could not be agreed on
     */
    public Supplier<CompletableFuture<Void>> askOthers() {
        PeerBarriers.Asked asked = barriers.askAll(links.peers());
        return () -> waits.all("the routes of a stored session", asked::ask);
    }

    /**
     * Waits until this node and every other member have applied what was committed to the dist store before the call.
     * Completes by the deadline, about, and does not fail.
     *
     * @return the ids of the members that have not applied it, in order; all, when this node has not. Contains members
     *     that the others have excluded, as long as the view has them
     */
    public CompletableFuture<List<String>> unconfirmedBy(Deadline deadline) {
        return untilAppliedHere(deadline)
                .handle((done, failure) -> failure == null)
                .thenCompose(isHere -> isHere
                        ? waits.unconfirmed(
                                "a record of operators",
                                barriers::ask,
                                Duration.ofNanos(deadline.remainingNanos(nanoTime.getAsLong())))
                        : CompletableFuture.completedFuture(memberIds()));
    }

    private List<String> memberIds() {
        Stream<NodeLife> others = Stream.concat(members.others().stream(), members.lapsed().stream());
        return Stream.concat(Stream.of(nodeId), others.map(NodeLife::nodeId))
                .distinct()
                .sorted()
                .toList();
    }

    /**
     * For a joining node, after its state is committed. Completes when that incarnation of a member has applied the
     * commit, and every live filter that it had until then is in force here: each later SUBACK there waits for this
     * node. Waits for a link as long as necessary; fails with {@link io.godwit.kv.client.RangeException} when another
     * incarnation of the node has followed. May be cancelled.
     */
    public CompletableFuture<Void> learnAllOf(NodeLife member) {
        return learning.learn(member);
    }

    /** Whether the full list of live filters of that incarnation of a node was received. */
    public boolean knowsAllOf(NodeLife life) {
        return remote.knowsAllOf(life);
    }

    /** Sends a heartbeat to a member; does nothing without a connection to it. */
    public void beat(NodeLife member, Heartbeat beat) {
        Peer peer = links.peer(member.nodeId());
        if (peer != null && peer.incarnation() == member.incarnation() && peer.isConnected()) {
            peer.send(Lane.CONTROL, ControlFrames.encode(HeartbeatFrames.encode(beat)));
        }
    }

    /** Stops exclusions. */
    @Override
    public void close() {
        exclusions.close();
    }
}
