package io.godwit.mqtt.subscribe;

import io.godwit.dist.client.DistOutcome;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.packet.Subscribe;
import io.godwit.mqtt.packet.UnsubAck;
import io.godwit.mqtt.packet.Unsubscribe;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.RetainHandling;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.tenant.TenantPolicy;
import io.godwit.mqtt.topic.TopicLimits;
import io.godwit.mqtt.trace.Tracer;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.event.DisconnectCause;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Handles SUBSCRIBE and UNSUBSCRIBE. Stateless: one serves all sessions. */
public final class SubscribeHandler {
    /** For all filters of a session together: the allowed number of long filters, or a few very long ones. */
    public static final int MAX_FILTER_CHARS = 4 * 1024 * 1024;

    /** A filter with more characters counts as several. */
    private static final int CHARS_OF_ONE = 64;

    private static final CompletableFuture<Boolean> NOTHING_TO_ASK = CompletableFuture.completedFuture(true);
    private static final CompletableFuture<AuthDecision> ALLOWED =
            CompletableFuture.completedFuture(AuthDecision.ALLOWED);

    private final Authorizer authorizer;
    private final MqttReports reports;

    public SubscribeHandler(Authorizer authorizer, MqttReports reports) {
        this.authorizer = authorizer;
        this.reports = reports;
    }

    /** On the loop of {@code subscriber}. */
    public void onSubscribe(SubscribingSession subscriber, Subscribe asked) {
        subscribe(
                subscriber,
                new Asked(asked.subscriptions(), asked.subscriptionId(), true),
                codes -> SubscribeAnswer.send(subscriber, asked, codes));
    }

    /**
     * Subscribes a client for an operator, as if it had sent a SUBSCRIBE. On the loop of {@code subscriber}.
     *
     * @param subscriptions with filters in the broker's form
     * @param subscriptionId 0 when absent
     * @param told gets the codes of SUBACK, in order, when that would be sent; not called when the connection ends
     *     before
     */
    public void onBehalf(
            SubscribingSession subscriber,
            List<Subscription> subscriptions,
            int subscriptionId,
            Consumer<List<ReasonCode>> told) {
        subscribe(subscriber, new Asked(subscriptions, subscriptionId, false), codes -> {
            told.accept(codes);
            return true;
        });
    }

    /** @param isByClient whether the filters are in the client's form */
    private record Asked(List<Subscription> subscriptions, int subscriptionId, boolean isByClient) {}

    private void subscribe(SubscribingSession subscriber, Asked asked, SubscribeAnswer.Told told) {
        List<Subscription> all = asked.subscriptions();
        int weight = weight(all.stream().map(Subscription::filter));
        subscriber.asked(weight);
        reports.metrics().sessions().filtersAsked(all.size());
        SubscribeAnswer answer = new SubscribeAnswer(subscriber, all, weight, reports, told);
        FilterTurns.run(
                subscriber, all.size(), (from, to) -> checked(subscriber, asked, from, to), (from, to, checked) -> {
                    noteDenied(subscriber, checked);
                    if (subscriber.connection().isOpen()) { // else it is never answered, so as if never asked
                        admit(subscriber, checked.part(), answer);
                    }
                });
    }

    /** Weight of the filters of a request until it is answered; a long filter counts as several. */
    private static int weight(Stream<TopicFilter> filters) {
        return filters.mapToInt(filter -> 1 + filter.text().length() / CHARS_OF_ONE)
                .sum();
    }

    /**
     * The filters of a packet that are handled in one turn.
     *
     * @param first index of the first one in the packet
     * @param subscriptions in the broker's form
     * @param refused refusals by index in {@code subscriptions}
     */
    private record Part(
            int first, List<Subscription> subscriptions, int subscriptionId, Map<Integer, ReasonCode> refused) {}

    /** @param answers for each of the part's filters; empty without an authorization check */
    private record Checked(Part part, List<AuthDecision> answers) {}

    private CompletableFuture<Checked> checked(SubscribingSession subscriber, Asked all, int from, int to) {
        List<Subscription> asked =
                subscriber.policy().granted(all.subscriptions().subList(from, to));
        List<Subscription> within = all.isByClient() ? subscriber.topics().subscribed(asked) : asked;
        Map<Integer, ReasonCode> refused = overLimit(subscriber, from, all.subscriptionId() > 0, asked, within);
        Part part = new Part(from, within, Math.max(0, all.subscriptionId()), refused);
        if (!authorizer.asks(AuthCheck.SUBSCRIBE)) {
            return CompletableFuture.completedFuture(new Checked(part, List.of()));
        }
        return check(subscriber, part).thenApply(answers -> new Checked(part, answers));
    }

    /** Refusals for filters beyond the limit of one SUBSCRIBE, or of a disabled kind; for all while memory is short. */
    private Map<Integer, ReasonCode> overLimit(
            SubscribingSession subscriber,
            int first,
            boolean hasIdentifier,
            List<Subscription> asked,
            List<Subscription> within) {
        TenantPolicy policy = subscriber.policy();
        Map<Integer, ReasonCode> refused = new HashMap<>(0);
        boolean isMemoryShort = subscriber.connection().loop().isMemoryShort();
        for (int i = 0; i < asked.size(); i++) {
            TopicFilter filter = asked.get(i).filter();
            TopicFilter own = within.get(i).filter();
            if (isMemoryShort) {
                refuse(subscriber, filter, refused, i, FilterRefusal.MEMORY_SHORT);
            } else if (first + i >= policy.limits().maxFiltersPerSubscribe()) {
                refuse(subscriber, filter, refused, i, FilterRefusal.TOO_MANY);
            } else if (!policy.allows(filter.text()) || subscriber.topics().isTooLong(own)) {
                refuse(subscriber, filter, refused, i, FilterRefusal.LIMIT);
            } else if (!subscriber.topics().have(own)) {
                refuse(subscriber, filter, refused, i, FilterRefusal.NOT_ALLOWED);
            } else {
                ReasonCode isOff = policy.refusal(own, hasIdentifier);
                if (isOff != null) {
                    refuse(subscriber, filter, refused, i, FilterRefusal.ofPolicy(isOff));
                }
            }
        }
        return refused;
    }

    private void refuse(
            SubscribingSession subscriber,
            TopicFilter filter,
            Map<Integer, ReasonCode> refused,
            int place,
            FilterRefusal why) {
        refused.put(place, why.code());
        reports.subscribeRefused(
                subscriber.client(), filter.text(), why.cause(), why.code().name());
    }

    /**
     * Makes a client's automatic subscriptions. A failure ends the connection, since the client can get them only by
     * connecting again.
     */
    public void subscribeUnasked(SubscribingSession subscriber, List<Subscription> subscriptions) {
        subscriptions.forEach(s -> subscriber.noteAdded(s.filter()));
        subscribe(subscriber, subscriptions, 0, () -> {}, (failure, replays) -> {
            replays.run();
            if (failure != null) {
                subscriber
                        .connection()
                        .disconnect(
                                ReasonCode.QUOTA_EXCEEDED,
                                DisconnectCause.STORE_FAILED,
                                "an automatic subscription could not be stored");
            }
        });
    }

    /** The authorization decisions, in order of the filters; no provider call for filters already refused. */
    private CompletableFuture<List<AuthDecision>> check(SubscribingSession subscriber, Part part) {
        List<CompletableFuture<AuthDecision>> answers =
                new ArrayList<>(part.subscriptions().size());
        for (int i = 0; i < part.subscriptions().size(); i++) {
            Subscription s = part.subscriptions().get(i);
            answers.add(
                    part.refused().containsKey(i)
                            ? ALLOWED
                            : authorizer.subscribe(new SubscribeRequest(
                                    subscriber.client(), s.filter(), s.qos(), subscriber.grant())));
        }
        return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]))
                .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
    }

    private void noteDenied(SubscribingSession subscriber, Checked checked) {
        Part part = checked.part();
        List<AuthDecision> answers = checked.answers();
        for (int i = 0; i < answers.size(); i++) {
            if (answers.get(i) instanceof AuthDecision.Denied no) {
                part.refused().put(i, ReasonCode.NOT_AUTHORIZED);
                authorizer.subscribeDenied(
                        subscriber.client(),
                        part.subscriptions().get(i).filter().text(),
                        no);
            }
        }
    }

    /** Adds the allowed filters to the session, within its limits. */
    private void admit(SubscribingSession subscriber, Part part, SubscribeAnswer answer) {
        Set<TopicFilter> added = new HashSet<>();
        Set<TopicFilter> begun = new HashSet<>();
        for (int i = 0; i < part.subscriptions().size(); i++) {
            TopicFilter filter = part.subscriptions().get(i).filter();
            if (part.refused().containsKey(i)) {
                continue;
            }
            if (subscriber.has(filter)) {
                begun.add(filter);
                continue;
            }
            FilterRefusal over = refusal(subscriber, filter);
            if (over != null) {
                refuse(subscriber, filter, part.refused(), i, over);
            } else {
                subscriber.noteAdded(filter);
                added.add(filter);
                begun.add(filter);
            }
        }
        begun.forEach(subscriber::stepBegun);
        claim(subscriber, part, answer, new Steps(begun, added, List.copyOf(added)));
    }

    /** Why one more filter is refused; null when it is not, and then the tenant's account counts it. */
    private @Nullable FilterRefusal refusal(SubscribingSession subscriber, TopicFilter filter) {
        TopicLimits limits = subscriber.policy().limits();
        if (subscriber.filterCount() >= limits.maxFiltersPerSession()
                || subscriber.filterCharsWith(filter) > MAX_FILTER_CHARS
                || subscriber.patternsWith(filter) > limits.maxPatternsPerSession()) {
            return FilterRefusal.TOO_MANY;
        }
        if (!subscriber.hasRoomFor(filter)) {
            return FilterRefusal.NODE_LIMIT;
        }
        // last, because it counts what it does not refuse
        return isOverQuota(subscriber, filter) ? FilterRefusal.TENANT_LIMIT : null;
    }

    /**
     * Whether the tenant's limit of subscriptions, or the group's limit of members, is reached; if not, counts the
     * filter.
     */
    private boolean isOverQuota(SubscribingSession subscriber, TopicFilter filter) {
        long ofGroup = subscriber.policy().number(TenantSetting.MAX_SHARED_GROUP_SIZE);
        TenantAccount account = subscriber.account();
        TenantResource over = account.subscribing(filter, ofGroup == 0 ? TenantAccount.ANY : ofGroup);
        if (over != null) {
            long most = account.most(over);
            boolean isOfGroup = over == TenantResource.SHARED_SUBSCRIPTIONS && ofGroup > 0;
            reports.tenantLimitReached(subscriber.client(), over, isOfGroup ? Math.min(most, ofGroup) : most);
        }
        return over != null;
    }

    /**
     * Effects of the allowed filters on the session.
     *
     * @param begun filters with a step under way
     * @param added filters that the session did not have before
     * @param counted filters that the tenant's account counts until they are stored
     */
    private record Steps(Set<TopicFilter> begun, Set<TopicFilter> added, List<TopicFilter> counted) {
        /** Storing is over. */
        void stored(SubscribingSession subscriber) {
            counted.forEach(subscriber.account()::subscribed);
        }

        /** Nothing of {@code filter} was stored by this step. */
        void giveUp(SubscribingSession subscriber, TopicFilter filter) {
            // if another step overlapped, its presence is unknown: then it counts as present
            if (begun.remove(filter) && subscriber.stepOver(filter) && added.contains(filter)) {
                subscriber.noteRemoved(filter);
            }
        }
    }

    /** Claims the exclusive filters among the allowed ones. */
    private void claim(SubscribingSession subscriber, Part part, SubscribeAnswer answer, Steps steps) {
        Map<Integer, CompletableFuture<Boolean>> asked = new HashMap<>(0);
        for (int i = 0; i < part.subscriptions().size(); i++) {
            TopicFilter filter = part.subscriptions().get(i).filter();
            if (filter.isExclusive() && !part.refused().containsKey(i)) {
                if (subscriber.policy().is(TenantSetting.EXCLUSIVE)) {
                    asked.put(i, subscriber.claimExclusive(filter));
                } else {
                    part.refused().put(i, ReasonCode.TOPIC_FILTER_INVALID);
                    steps.giveUp(subscriber, filter);
                }
            }
        }
        if (asked.isEmpty()) {
            subscribeOthers(subscriber, part, answer, steps);
            return;
        }
        CompletableFuture<?>[] all = asked.values().toArray(new CompletableFuture<?>[0]);
        OnEventLoop.whenComplete(subscriber.connection(), CompletableFuture.allOf(all), (done, failure) -> {
            Set<TopicFilter> denied = new HashSet<>(0);
            Set<TopicFilter> granted = new HashSet<>();
            asked.forEach((place, claim) -> {
                TopicFilter filter = part.subscriptions().get(place).filter();
                if (claim.isCompletedExceptionally() || !claim.getNow(false)) {
                    part.refused().put(place, ReasonCode.QUOTA_EXCEEDED);
                    denied.add(filter);
                } else {
                    granted.add(filter);
                    subscriber.noteAdded(filter); // an UNSUBSCRIBE may have overtaken the claim
                }
            });
            denied.removeAll(granted); // a packet may name a filter twice
            denied.forEach(filter -> steps.giveUp(subscriber, filter));
            subscribeOthers(subscriber, part, answer, steps);
        });
    }

    private static void subscribeOthers(SubscribingSession subscriber, Part part, SubscribeAnswer answer, Steps steps) {
        Map<Integer, ReasonCode> refused = part.refused();
        List<Subscription> others = part.subscriptions();
        if (!refused.isEmpty()) {
            others = new ArrayList<>(part.subscriptions().size());
            for (int i = 0; i < part.subscriptions().size(); i++) {
                if (!refused.containsKey(i)) {
                    others.add(part.subscriptions().get(i));
                }
            }
        }
        List<Subscription> allowed = others;
        BiConsumer<@Nullable Throwable, Runnable> stored = (failure, replays) -> {
            if (failure != null) {
                List.copyOf(steps.begun()).forEach(filter -> steps.giveUp(subscriber, filter));
            } else {
                steps.begun().forEach(subscriber::stepOver);
            }
            answer.part(
                    part.first(),
                    withRefused(codes(allowed, failure), part.subscriptions().size(), refused),
                    replays);
        };
        if (allowed.isEmpty()) {
            steps.stored(subscriber);
            stored.accept(null, () -> {});
        } else {
            subscribe(
                    subscriber,
                    allowed,
                    part.subscriptionId(),
                    () -> {
                        steps.stored(subscriber);
                        allowed.stream()
                                .filter(s -> s.filter().isExclusive())
                                .forEach(s -> subscriber.releaseExclusive(s.filter()));
                    },
                    stored);
        }
    }

    /** Inserts the codes of refused filters between the others. */
    private static List<ReasonCode> withRefused(List<ReasonCode> codes, int count, Map<Integer, ReasonCode> refused) {
        if (refused.isEmpty()) {
            return codes;
        }
        Iterator<ReasonCode> others = codes.iterator();
        List<ReasonCode> all = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ReasonCode refusal = refused.get(i);
            all.add(refusal != null ? refusal : others.next());
        }
        return all;
    }

    /**
     * @param ended run when storing is over, whatever the outcome
     * @param stored gets a failure or null, and the action that sends the retained messages once SUBACK is sent
     */
    private static void subscribe(
            SubscribingSession subscriber,
            List<Subscription> subscriptions,
            int subscriptionId,
            Runnable ended,
            BiConsumer<@Nullable Throwable, Runnable> stored) {
        List<@Nullable RetainedReplay> replays = new ArrayList<>(subscriptions.size());
        for (Subscription s : subscriptions) {
            RetainedReplay replay = null;
            // shared subscriptions get no retained messages (MQTT 5.0, 4.8.2)
            if (!s.filter().isShared() && s.retainHandling() != RetainHandling.DO_NOT_SEND) {
                replay = new RetainedReplay(s.filter(), s.qos(), subscriptionId, null);
                subscriber.beginReplay(replay);
            }
            replays.add(replay);
        }
        OnEventLoop.whenComplete(
                subscriber.connection(), subscriber.subscribe(subscriptions, subscriptionId), (isNew, failure) -> {
                    ended.run();
                    if (failure != null && !isRefused(failure)) {
                        subscriber
                                .connection()
                                .disconnect(
                                        ReasonCode.UNSPECIFIED_ERROR,
                                        DisconnectCause.STORE_FAILED,
                                        "a SUBSCRIBE may or may not be stored");
                        return;
                    }
                    stored.accept(failure, () -> {
                        for (int i = 0; i < replays.size(); i++) {
                            RetainedReplay replay = replays.get(i);
                            if (replay != null) {
                                boolean isWanted = failure == null
                                        && (isNew.get(i)
                                                || subscriptions.get(i).retainHandling() == RetainHandling.SEND);
                                subscriber.replay(replay, isWanted);
                            }
                        }
                    });
                });
    }

    private static List<ReasonCode> codes(List<Subscription> subscriptions, @Nullable Throwable failure) {
        if (failure != null) {
            return Collections.nCopies(subscriptions.size(), ReasonCode.QUOTA_EXCEEDED);
        }
        List<ReasonCode> codes = new ArrayList<>(subscriptions.size());
        for (Subscription s : subscriptions) {
            codes.add(ReasonCode.granted(s.qos()));
        }
        return codes;
    }

    /** On the loop of {@code subscriber}. */
    public void onUnsubscribe(SubscribingSession subscriber, Unsubscribe asked) {
        int count = asked.filters().size();
        int weight = weight(asked.filters().stream());
        subscriber.asked(weight);
        Codes codes = new Codes(count);
        boolean canRefuse = subscriber.client().protocolLevel() >= 5;
        FilterTurns.run(
                subscriber,
                count,
                (from, to) -> NOTHING_TO_ASK,
                (from, to, nothing) -> unsubscribe(
                        subscriber,
                        subscriber.topics().unsubscribed(asked.filters().subList(from, to)),
                        canRefuse,
                        answers -> {
                            if (codes.put(from, answers)) {
                                subscriber.connection().send(new UnsubAck(asked.packetId(), codes.all()));
                                reports.unsubscribed(subscriber.client(), asked.filters(), codes.all());
                                trace(subscriber, asked.filters(), codes.all());
                                subscriber.answered(weight);
                            }
                        }));
    }

    /**
     * Unsubscribes a client for an operator, as if it had sent an UNSUBSCRIBE. On the loop of {@code subscriber}.
     *
     * @param filters in the broker's form
     * @param told gets the codes of UNSUBACK, in order, when that would be sent; not called when the connection
     *     ends before
     */
    public void unsubscribeOnBehalf(
            SubscribingSession subscriber, List<TopicFilter> filters, Consumer<List<ReasonCode>> told) {
        int count = filters.size();
        int weight = weight(filters.stream());
        subscriber.asked(weight);
        Codes codes = new Codes(count);
        FilterTurns.run(
                subscriber,
                count,
                (from, to) -> NOTHING_TO_ASK,
                (from, to, nothing) -> unsubscribe(subscriber, filters.subList(from, to), true, answers -> {
                    if (codes.put(from, answers)) {
                        told.accept(codes.all());
                        reports.unsubscribed(subscriber.client(), filters, codes.all());
                        trace(subscriber, filters, codes.all());
                        subscriber.answered(weight);
                    }
                }));
    }

    private void trace(SubscribingSession subscriber, List<TopicFilter> filters, List<ReasonCode> codes) {
        Tracer tracer = reports.tracing().active();
        if (tracer != null) {
            for (int i = 0; i < codes.size(); i++) {
                tracer.unsubscribed(subscriber.client(), filters.get(i), codes.get(i));
            }
        }
    }

    /** Asks the stores only about filters that they may have. The others certainly do not exist. */
    private static void unsubscribe(
            SubscribingSession subscriber,
            List<TopicFilter> filters,
            boolean canRefuse,
            Consumer<List<ReasonCode>> answer) {
        ReasonCode[] codes = new ReasonCode[filters.size()];
        Arrays.fill(codes, ReasonCode.NO_SUBSCRIPTION_EXISTED);
        List<TopicFilter> asked = new ArrayList<>(0);
        for (TopicFilter filter : filters) {
            if (subscriber.mayExist(filter)) {
                asked.add(filter);
            }
        }
        if (asked.isEmpty()) {
            answer.accept(List.of(codes));
            return;
        }
        Set<TopicFilter> begun = new HashSet<>(asked);
        List<TopicFilter> removed = begun.stream().filter(subscriber::has).toList();
        removed.forEach(subscriber::noteRemoved);
        begun.forEach(subscriber::stepBegun);
        OnEventLoop.whenComplete(subscriber.connection(), subscriber.unsubscribe(asked), (existed, failure) -> {
            if (failure != null && (!canRefuse || !isRefused(failure))) {
                // a 3.1.1 UNSUBACK cannot refuse: without an answer, the client asks again
                subscriber
                        .connection()
                        .disconnect(
                                ReasonCode.UNSPECIFIED_ERROR,
                                DisconnectCause.STORE_FAILED,
                                "an UNSUBSCRIBE could not be stored");
                return;
            }
            begun.forEach(subscriber::stepOver);
            if (failure != null) {
                removed.forEach(subscriber::noteAdded);
            }
            Iterator<Boolean> found = failure != null ? Collections.emptyIterator() : existed.iterator();
            for (int i = 0; i < codes.length; i++) {
                if (begun.contains(filters.get(i))) {
                    codes[i] = code(found);
                }
            }
            answer.accept(List.of(codes));
        });
    }

    /** @param found empty when the stores refused */
    private static ReasonCode code(Iterator<Boolean> found) {
        if (!found.hasNext()) {
            return ReasonCode.UNSPECIFIED_ERROR; // UNSUBACK has no "quota exceeded" [MQTT5-3.11.3-2]
        }
        return found.next() ? ReasonCode.SUCCESS : ReasonCode.NO_SUBSCRIPTION_EXISTED;
    }

    /**
     * Whether nothing was written. Otherwise the outcome is unknown, and only a client without an answer asks again.
     */
    public static boolean isRefused(Throwable failure) {
        return DistOutcome.ofFailure(failure) == DistOutcome.OVERLOADED;
    }
}
