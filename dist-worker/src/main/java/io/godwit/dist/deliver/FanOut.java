package io.godwit.dist.deliver;

import io.godwit.common.failure.Failures;
import io.godwit.dist.client.Delayer;
import io.godwit.dist.client.Deliverer;
import io.godwit.dist.client.Delivery;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Publisher;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.Strays;
import io.godwit.dist.index.Matches;
import io.godwit.dist.index.TenantIndex;
import io.godwit.dist.index.compact.NodeSet;
import io.godwit.dist.index.share.SharedGroup;
import io.godwit.dist.index.share.SharedMember;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Publishes for one client: matches its messages and hands each to the deliverers, one {@link Delivery} per kind of
 * receiver. Confined to the client's thread; {@link #handOn}, {@link #chooseAnother} and {@link #giveToGroup} run on
 * any thread, each on an instance made for the call. The match lists are those of the index, made once per topic and
 * change, so a message costs one delivery object. A message with a place costs two objects more ({@link PlacedResend},
 * {@link io.godwit.kv.client.RequestPlace}).
 */
public final class FanOut implements Publisher, HeldPublishes.Source {
    static final int TIMED_ONE_OF = 64;

    private final ClientInfo client;
    private final @Nullable SharedPick asked;
    private final MatchCache cache;
    private final Deliverers deliverers;
    /** Publishes that wait until this node may acknowledge; null on a node that is alone. */
    private final @Nullable HeldPublishes held;

    private final ConnectionResend untilEnded;
    private final boolean isOfConnection;
    /** Null until the first message that has a place. */
    private @Nullable Places places;

    /** Messages until the next one is timed. Starts at random, because most clients publish only a few. */
    private int untilTimed = ThreadLocalRandom.current().nextInt(TIMED_ONE_OF);

    /**
     * Where deliveries and reports go; shared by all publishers.
     *
     * @param live gets deliveries to {@link LiveReceiver}s
     * @param inbox gets deliveries to {@link io.godwit.dist.client.InboxReceiver}s
     * @param strays removes the routes of ended sessions
     * @param choices the members of shared groups that a repeat must go to
     * @param delayer gets messages to be published later
     * @param served the live receivers that a repeat must leave out
     * @param others the other nodes of the cluster
     * @param heldOfStores messages that came through no connection and wait until this node may acknowledge
     */
    public record Deliverers(
            Deliverer live,
            Deliverer inbox,
            DistCounters counters,
            EventListener events,
            StrayRoutes strays,
            SharedChoices choices,
            Delayer delayer,
            ServedReceivers served,
            OtherNodes others,
            HeldPublishes heldOfStores) {
        /** For a node that is alone. */
        public Deliverers(
                Deliverer live,
                Deliverer inbox,
                DistCounters counters,
                EventListener events,
                StrayRoutes strays,
                SharedChoices choices,
                Delayer delayer,
                ServedReceivers served) {
            this(
                    live,
                    inbox,
                    counters,
                    events,
                    strays,
                    choices,
                    delayer,
                    served,
                    OtherNodes.NONE,
                    new HeldPublishes(OtherNodes.NONE));
        }

        /** The same with another deliverer for live receivers. */
        public Deliverers withLive(Deliverer other) {
            return new Deliverers(
                    other, inbox, counters, events, strays, choices, delayer, served, others, heldOfStores);
        }
    }

    /** For messages that came through no listener. */
    public FanOut(ClientInfo client, TenantIndex index, Deliverers deliverers) {
        this(client, index, deliverers, Resend.ALWAYS);
    }

    /** The same with a resend rule for the message. */
    public FanOut(ClientInfo client, TenantIndex index, Deliverers deliverers, Resend resend) {
        this(client, null, index, deliverers, null, resend);
    }

    /** @param asked strategy of the client's listener; null for the node's default */
    public FanOut(ClientInfo client, @Nullable SharedPick asked, TenantIndex index, Deliverers deliverers) {
        this(client, asked, index, deliverers, null);
    }

    /** @param thread runs tasks on the client's thread; null when each message has its own publisher */
    public FanOut(
            ClientInfo client,
            @Nullable SharedPick asked,
            TenantIndex index,
            Deliverers deliverers,
            @Nullable Executor thread) {
        this(client, asked, index, deliverers, thread, Resend.ALWAYS);
    }

    private FanOut(
            ClientInfo client,
            @Nullable SharedPick asked,
            TenantIndex index,
            Deliverers deliverers,
            @Nullable Executor thread,
            Resend resend) {
        this.client = client;
        this.asked = asked;
        this.cache = new MatchCache(index, client.clientId());
        this.deliverers = deliverers;
        this.untilEnded = new ConnectionResend(resend);
        this.isOfConnection = thread != null;
        if (deliverers.others == OtherNodes.NONE) {
            this.held = null;
        } else {
            this.held = thread == null ? deliverers.heldOfStores : new HeldPublishes(deliverers.others, thread);
        }
    }

    @Override
    public CompletableFuture<DistOutcome> publish(Message message, @Nullable DeliveryToken token) {
        if (isBehindFailed(message, token)) {
            return refusedBehindFailed();
        }
        if (message.topic().charAt(0) == '$') {
            if (isOfThisNode(message.topic())) {
                deliverers.counters.own.increment();
            }
            CompletableFuture<DistOutcome> kept = deliverers.delayer.take(client, message, token);
            if (kept != null) {
                return kept;
            }
        }
        if (held != null && message.qos() != Qos.AT_MOST_ONCE && held.isBusy()) {
            return held.add(this, message, token);
        }
        CompletableFuture<DistOutcome> outcome = publishNow(message, token);
        if (outcome != null) {
            return outcome;
        }
        return held == null
                ? CompletableFuture.completedFuture(notHeldLonger(message, token)) // a node that is alone may always
                : held.add(this, message, token);
    }

    @Override
    public void end() {
        untilEnded.end();
    }

    @Override
    public boolean isEnded() {
        return untilEnded.isAbandoned();
    }

    @Override
    public DistOutcome notHeldLonger(Message message, @Nullable DeliveryToken token) {
        MessageOrder.failed(token, placed(message, token));
        deliverers.counters.refused.increment();
        return DistOutcome.OVERLOADED;
    }

    /**
     * Matches a message, and delivers it unless this node may not acknowledge that match: then no receiver gets it, and
     * this returns null. QoS 0 needs no acknowledgement.
     */
    @Override
    public @Nullable CompletableFuture<DistOutcome> publishNow(Message message, @Nullable DeliveryToken token) {
        boolean isToAcknowledge = message.qos() != Qos.AT_MOST_ONCE;
        if (isBehindFailed(message, token)) {
            return refusedBehindFailed(); // that one has failed while this one waited
        }
        long epoch = isToAcknowledge ? deliverers.others.epoch() : 0;
        Matches matches = untilTimed > 0 ? match(message) : matchTimed(message);
        if (isToAcknowledge && !deliverers.others.mayAcknowledge(epoch)) {
            return null;
        }
        Resend resend = placed(message, token);
        CompletableFuture<DistOutcome> here = publishHere(message, token, resend, matches, epoch);
        if (matches.nodes().isEmpty() || isOfThisNode(message.topic())) {
            return here;
        }
        CompletableFuture<DistOutcome> elsewhere = publishElsewhere(message, token, resend, matches.nodes());
        return here == Outcomes.NO_MATCH ? elsewhere : Outcomes.worst(here, elsewhere);
    }

    private boolean hasPlace(Message message) {
        return isOfConnection && Places.has(message, client.protocolLevel());
    }

    /** Whether no receiver may take the message, because an earlier one has failed and comes again before it. */
    private boolean isBehindFailed(Message message, @Nullable DeliveryToken token) {
        if (token != null) {
            return token.isBehindFailed();
        }
        if (!hasPlace(message)) {
            return false; // QoS 0 may come on another thread, which must not read the places
        }
        Places known = places;
        return known != null && known.isBroken();
    }

    private CompletableFuture<DistOutcome> refusedBehindFailed() {
        deliverers.counters.refused.increment();
        return CompletableFuture.completedFuture(DistOutcome.OVERLOADED);
    }

    /** The resend rule for a message that is published now. */
    private Resend placed(Message message, @Nullable DeliveryToken token) {
        if (token != null || !hasPlace(message)) {
            return untilEnded;
        }
        Places known = places;
        if (known == null) {
            known = new Places();
            places = known;
        }
        return known.next(untilEnded);
    }

    private Matches match(Message message) {
        untilTimed--;
        return cache.match(message.topic());
    }

    private Matches matchTimed(Message message) {
        untilTimed = TIMED_ONE_OF - 1;
        long begunNanos = System.nanoTime();
        Matches matches = cache.match(message.topic());
        deliverers.counters.matchTime.record(System.nanoTime() - begunNanos, TimeUnit.NANOSECONDS);
        return matches;
    }

    /** Messages of a node about itself are only for its own clients. */
    private static boolean isOfThisNode(String topic) {
        return topic.startsWith("$SYS/");
    }

    private CompletableFuture<DistOutcome> publishElsewhere(
            Message message, @Nullable DeliveryToken token, Resend resend, NodeSet nodes) {
        deliverers.counters.matched.add(nodes.size());
        return deliverers.others.deliver(client, message, token, nodes, resend);
    }

    private CompletableFuture<DistOutcome> publishHere(
            Message message, @Nullable DeliveryToken token, Resend placed, Matches matches, long epoch) {
        List<Match> live = matches.live();
        List<Match> inbox = matches.inbox();
        SharedPicks picks = null;
        Resend resend = placed;
        deliverers.counters.published.increment();
        if (!matches.groups().isEmpty()) {
            if (token != null && token.isResumed()) {
                return resume(message, token, matches, epoch);
            }
            live = new ArrayList<>(live);
            inbox = new ArrayList<>(inbox);
            resend = token == null ? placed : resend(token, epoch);
            picks = SharedPicks.first(matches.groups(), choosing(message, token, resend), live, inbox);
        }
        if (live.isEmpty() && inbox.isEmpty()) {
            if (matches.nodes().isEmpty()) {
                deliverers.counters.noMatch.increment();
                if (isOfThisNode(message.topic())) {
                    deliverers.counters.ownNoMatch.increment();
                }
            }
            return Outcomes.NO_MATCH;
        }
        deliverers.counters.matched.add(live.size() + inbox.size());
        return watched(deliver(message, token, resend, live, inbox, picks), message, inbox, token, resend);
    }

    /** Rule for deliveries that include chosen members of shared groups. */
    private Resend resend(@Nullable DeliveryToken token, long epoch) {
        return token == null ? untilEnded : new ChoiceResend(untilEnded, deliverers.others, epoch);
    }

    private SharedPicks.Choosing choosing(Message message, @Nullable DeliveryToken token, Resend resend) {
        return new SharedPicks.Choosing(client.clientId(), message.topic(), asked, token, deliverers.choices, resend);
    }

    /**
     * Distributes a message that may already have been given to a member of some of the groups, by an earlier process,
     * another node, or an ended connection. Live members of an earlier process are gone; this process and the other
     * nodes remember their choices; stored members that have the message know its token. All of them are asked only for
     * messages that a restart, or the end of a connection, left unfinished.
     */
    private CompletableFuture<DistOutcome> resume(Message message, DeliveryToken token, Matches matches, long epoch) {
        CompletableFuture<DistOutcome> plain =
                matches.live().isEmpty() && matches.inbox().isEmpty()
                        ? Outcomes.NO_MATCH
                        : deliver(message, token, untilEnded, matches.live(), matches.inbox(), null);
        CompletableFuture<DistOutcome> shared =
                deliverUnlessGiven(matches.groups(), message, token, epoch, DistOutcome.DELIVERED);
        return watched(Outcomes.worst(plain, shared), message, matches.inbox(), token, untilEnded);
    }

    /** @param otherwise the outcome when no member can be chosen for a group that has not had the message */
    private CompletableFuture<DistOutcome> deliverUnlessGiven(
            List<SharedGroup> groups, Message message, DeliveryToken token, long epoch, DistOutcome otherwise) {
        return deliverers
                .others
                .chosen(client.tenant(), token)
                .handle((chosen, failure) -> {
                    if (failure != null) {
                        return CompletableFuture.completedFuture(DistOutcome.ofFailure(Failures.cause(failure)));
                    }
                    List<SharedGroup> open = deliverers.choices.learn(token, groups, chosen);
                    return open.isEmpty()
                            ? Deliverer.DELIVERED
                            : deliverUnlessKnown(open, message, token, epoch, otherwise);
                })
                .thenCompose(delivered -> delivered);
    }

    private CompletableFuture<DistOutcome> deliverUnlessKnown(
            List<SharedGroup> groups, Message message, DeliveryToken token, long epoch, DistOutcome otherwise) {
        List<Match> asked = new ArrayList<>();
        List<SharedGroup> askedFor = new ArrayList<>();
        for (SharedGroup group : groups) {
            group.forEach(match -> {
                if (match.receiver() instanceof InboxReceiver) {
                    asked.add(match);
                    askedFor.add(group);
                }
            });
        }
        return deliverers
                .inbox
                .know(new Delivery(client, message, asked, token))
                .handle((known, failure) -> {
                    if (failure != null) {
                        return CompletableFuture.completedFuture(DistOutcome.ofFailure(Failures.cause(failure)));
                    }
                    Set<SharedGroup> open = Collections.newSetFromMap(new IdentityHashMap<>());
                    open.addAll(groups);
                    for (int i = 0; i < askedFor.size(); i++) {
                        if (known.get(i)) {
                            open.remove(askedFor.get(i));
                        }
                    }
                    return open.isEmpty()
                            ? Deliverer.DELIVERED
                            : deliverWhileMember(List.copyOf(open), message, token, epoch, otherwise);
                })
                .thenCompose(delivered -> delivered);
    }

    /** The questions took time: others may have excluded this node meanwhile, and would not know of its choice. */
    private CompletableFuture<DistOutcome> deliverWhileMember(
            List<SharedGroup> groups, Message message, DeliveryToken token, long epoch, DistOutcome otherwise) {
        return deliverers
                .others
                .untilMayAcknowledge(epoch)
                .thenCompose(isMember -> isMember && deliverers.others.mayAcknowledge(epoch) // may complete late
                        ? deliverTo(groups, message, token, epoch, otherwise)
                        : CompletableFuture.completedFuture(DistOutcome.FAILED));
    }

    private CompletableFuture<DistOutcome> deliverTo(
            List<SharedGroup> groups,
            Message message,
            @Nullable DeliveryToken token,
            long epoch,
            DistOutcome otherwise) {
        List<Match> live = new ArrayList<>();
        List<Match> inbox = new ArrayList<>();
        Resend resend = resend(token, epoch);
        SharedPicks picks = SharedPicks.first(groups, choosing(message, token, resend), live, inbox);
        if (token != null && resend.isAbandoned()) {
            return CompletableFuture.completedFuture(DistOutcome.FAILED); // the next connection resumes it
        }
        deliverers.counters.matched.add(live.size() + inbox.size());
        return live.isEmpty() && inbox.isEmpty()
                ? CompletableFuture.completedFuture(otherwise)
                : deliver(message, token, resend, live, inbox, picks);
    }

    private CompletableFuture<DistOutcome> deliver(
            Message message,
            @Nullable DeliveryToken token,
            Resend resend,
            List<Match> matchedLive,
            List<Match> inbox,
            @Nullable SharedPicks picks) {
        List<Match> live =
                token == null || matchedLive.isEmpty() ? matchedLive : deliverers.served.unserved(token, matchedLive);
        if (inbox.isEmpty()) {
            return live.isEmpty()
                    ? Deliverer.DELIVERED // by an earlier distribution
                    : deliverers.live.deliver(
                            new Delivery(client, message, live, token, Strays.IGNORED, resend, asked));
        }
        // the inbox first: its commit takes longer
        CompletableFuture<DistOutcome> stored = picks == null
                ? deliverers.inbox.deliver(
                        new Delivery(client, message, inbox, token, deliverers.strays, resend, asked))
                : deliverShared(new Delivery(client, message, inbox, token, picks, resend, asked), picks);
        return live.isEmpty()
                ? stored
                : Outcomes.worst(
                        stored,
                        deliverers.live.deliver(
                                new Delivery(client, message, live, token, Strays.IGNORED, resend, asked)));
    }

    private CompletableFuture<DistOutcome> deliverShared(Delivery delivery, SharedPicks picks) {
        CompletableFuture<DistOutcome> stored = deliverers.inbox.deliver(delivery);
        return Outcomes.isDelivered(stored) && !picks.hasStrays() && !picks.hasUnserved()
                ? stored
                : stored.thenCompose(answer -> picks.hasStrays() || picks.hasUnserved()
                        ? chooseAgain(delivery, picks, answer)
                        : CompletableFuture.completedFuture(answer));
    }

    /**
     * Chooses other members, because the sessions of some chosen ones had ended or were full: contract and client rely
     * on one member of each group. First the routes of ended sessions are removed, so that the group does not choose
     * them again. Messages published meanwhile may overtake this one, which [MQTT5-4.6.0-6] allows for shared
     * subscriptions. If the routes cannot be removed, the publisher is refused, and repeats.
     *
     * @param answer of the other matches
     */
    private CompletableFuture<DistOutcome> chooseAgain(Delivery delivery, SharedPicks picks, DistOutcome answer) {
        if (picks.hasUnserved() && picks.isLastRound()) {
            return CompletableFuture.completedFuture(DistOutcome.FAILED);
        }
        if (!picks.hasStrays()) {
            return deliverAgain(delivery, picks, answer);
        }
        return deliverers
                .strays
                .remove(picks.strays(), delivery.message().topic())
                .handle((done, failure) -> failure)
                .thenCompose(failure -> {
                    if (!picks.hasUnserved()) {
                        return CompletableFuture.completedFuture(answer);
                    }
                    if (failure != null) {
                        return CompletableFuture.completedFuture(
                                Outcomes.worst(answer, DistOutcome.ofFailure(Failures.cause(failure))));
                    }
                    return deliverAgain(delivery, picks, answer);
                });
    }

    /** Whether another node may have chosen for the same token. */
    private static boolean mayNotChoose(Delivery delivery) {
        return delivery.token() != null
                && (delivery.resend().isAbandoned() || delivery.resend().mustWait());
    }

    private CompletableFuture<DistOutcome> deliverAgain(Delivery delivery, SharedPicks picks, DistOutcome answer) {
        List<Match> live = new ArrayList<>();
        List<Match> inbox = new ArrayList<>();
        SharedPicks next = picks.again(live, inbox);
        if (mayNotChoose(delivery)) {
            return CompletableFuture.completedFuture(DistOutcome.FAILED);
        }
        return live.isEmpty() && inbox.isEmpty()
                ? CompletableFuture.completedFuture(answer)
                : deliver(delivery.message(), delivery.token(), delivery.resend(), live, inbox, next)
                        .thenApply(later -> Outcomes.worst(answer, later));
    }

    /**
     * Gives the message of {@code from} to another member of the group that chose its one receiver. A receiver that is
     * still in the group is full, and skipped for a while. The publisher may already have its acknowledgement, so the
     * message is needed even after its connection has ended. Any thread, on its own instance.
     *
     * @param index the one of the client's tenant
     * @return completes with NO_MATCH when no other member has room
     */
    public CompletableFuture<DistOutcome> handOn(TenantIndex index, Delivery from) {
        Match match = from.matches().get(0);
        Message message = from.message();
        DeliveryToken token = from.token() == null ? null : from.token().leftByMember();
        TopicFilter filter = match.sharedBy();
        SharedGroup group = filter == null ? null : index.group(filter);
        if (group == null) {
            return Outcomes.NO_MATCH;
        }
        SharedMember full = group.memberOf(match.receiver());
        if (full != null) {
            group.refused(full);
        }
        SharedMember next = from.isOfAnotherNode()
                ? group.pickHere(client.clientId(), message.topic(), asked)
                : choosing(message, null, Resend.ALWAYS).pick(group);
        if (next == null || next.isRefusing() || next.equals(full)) {
            return Outcomes.NO_MATCH;
        }
        if (token != null) {
            deliverers.choices.replace(token, group, next);
        }
        if (from.isOfAnotherNode()) {
            return deliverers.live.deliver(new Delivery(
                    client, message, List.of(next.match()), token, Strays.OF_ANOTHER_NODE, Resend.ALWAYS, asked));
        }
        List<Match> live = new ArrayList<>(1);
        List<Match> inbox = new ArrayList<>(1);
        SharedPicks picks = SharedPicks.only(group, next, choosing(message, null, Resend.ALWAYS), live, inbox);
        return watched(deliver(message, token, Resend.ALWAYS, live, inbox, picks), message, inbox);
    }

    /**
     * Gives the message of {@code from} to another member of the group that chose its one receiver. That receiver
     * represents the members on a node that has none left, or is excluded. Any thread, on its own instance.
     *
     * @param index the one of the client's tenant
     * @return completes with NO_MATCH when there is no other member, else as a publish
     */
    public CompletableFuture<DistOutcome> chooseAnother(TenantIndex index, Delivery from) {
        Match match = from.matches().get(0);
        Message message = from.message();
        DeliveryToken token = from.token();
        TopicFilter filter = match.sharedBy();
        SharedGroup group = filter == null ? null : index.group(filter);
        if (group == null) {
            return Outcomes.NO_MATCH;
        }
        SharedMember without = group.memberOf(match.receiver());
        if (without != null) {
            group.refused(without);
        }
        SharedMember next = without == null
                ? choosing(message, null, Resend.ALWAYS).pick(group)
                : group.pickOther(client.clientId(), message.topic(), asked, without);
        if (next == null) {
            return group.size() <= 1
                    ? Outcomes.NO_MATCH
                    : CompletableFuture.completedFuture(DistOutcome.FAILED); // draws may miss one
        }
        if (token != null) {
            SharedMember ofRepeat = deliverers.choices.putInstead(token, group, match.receiver(), next, from.resend());
            if (mayNotChoose(from)) {
                return CompletableFuture.completedFuture(DistOutcome.FAILED);
            }
            if (ofRepeat != null && ofRepeat.isHere()) {
                return Deliverer.DELIVERED;
            }
            next = ofRepeat == null ? next : ofRepeat;
        }
        List<Match> live = new ArrayList<>(1);
        List<Match> inbox = new ArrayList<>(1);
        SharedPicks picks = SharedPicks.only(group, next, choosing(message, token, from.resend()), live, inbox);
        return watched(deliver(message, token, from.resend(), live, inbox, picks), message, inbox);
    }

    /**
     * Gives a message to a member of the group, see {@link io.godwit.dist.client.DistClient#giveToGroup}. Any thread,
     * on its own instance.
     *
     * @param index the one of the client's tenant
     */
    public CompletableFuture<DistOutcome> giveToGroup(
            TenantIndex index, TopicFilter filter, Message message, @Nullable DeliveryToken token) {
        long epoch = deliverers.others.epoch();
        if (!deliverers.others.mayAcknowledge(epoch)) {
            return CompletableFuture.completedFuture(DistOutcome.OVERLOADED); // it may not know all members
        }
        SharedGroup group = index.group(filter);
        if (group == null) {
            return Outcomes.NO_MATCH;
        }
        SharedMember before = token == null ? null : deliverers.choices.get(token, group);
        if (before != null && before.isHere()) {
            return Deliverer.DELIVERED; // by an earlier call
        }
        List<SharedGroup> groups = List.of(group);
        CompletableFuture<DistOutcome> outcome = token != null && token.isResumed()
                ? deliverUnlessGiven(groups, message, token, epoch, DistOutcome.NO_MATCH)
                : deliverTo(groups, message, token, epoch, DistOutcome.NO_MATCH);
        return watched(outcome, message, List.of());
    }

    private CompletableFuture<DistOutcome> watched(
            CompletableFuture<DistOutcome> outcome, Message message, List<Match> inbox) {
        return watched(outcome, message, inbox, null, Resend.ALWAYS);
    }

    /**
     * A failure breaks the order of the message, even if the outcome is an exception.
     *
     * @param token names the order; without one, the resend rule does
     */
    private CompletableFuture<DistOutcome> watched(
            CompletableFuture<DistOutcome> outcome,
            Message message,
            List<Match> inbox,
            @Nullable DeliveryToken token,
            Resend resend) {
        if (Outcomes.isDelivered(outcome)) {
            return outcome;
        }
        return outcome.whenComplete((answer, failure) -> {
            if (failure != null || answer == DistOutcome.OVERLOADED || answer == DistOutcome.FAILED) {
                MessageOrder.failed(token, resend);
                refused(message, inbox);
            }
        });
    }

    private void refused(Message message, List<Match> inbox) {
        deliverers.counters.refused.increment();
        if (message.qos() != Qos.AT_MOST_ONCE) {
            return; // the publisher learns of it, and its frontend reports it
        }
        deliverers.counters.dropped.add(inbox.size());
        if (deliverers.events.isListening(BrokerEvent.MessageDropped.class)) {
            for (Match match : inbox) {
                deliverers.events.onEvent(new BrokerEvent.MessageDropped(
                        client.tenant(), match.receiver().clientId(), message.topic(), DropReason.STORE_FAILED));
            }
        }
    }
}
