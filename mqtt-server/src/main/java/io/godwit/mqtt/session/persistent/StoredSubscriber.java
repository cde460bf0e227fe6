package io.godwit.mqtt.session.persistent;

import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.FilterSize;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InboxClient.FilterChange;
import io.godwit.inbox.client.SessionDirectory;
import io.godwit.inbox.client.SessionDirectory.Answer;
import io.godwit.inbox.client.SessionDirectory.Holder;
import io.godwit.inbox.client.SessionDirectory.Lease;
import io.godwit.inbox.client.SessionDirectory.Takeover;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.filter.FilterCount;
import io.godwit.mqtt.session.filter.FilterPatterns;
import io.godwit.mqtt.subscribe.FilterRefusal;
import io.godwit.mqtt.subscribe.SubscribeHandler;
import io.godwit.mqtt.tenant.TenantAnswer;
import io.godwit.mqtt.tenant.TenantPolicies;
import io.godwit.mqtt.tenant.TenantPolicy;
import io.godwit.mqtt.topic.TopicLimits;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.plugin.auth.AuthCheck;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.auth.SubscribeRequest;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.throttle.TenantResource;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Subscribes and unsubscribes stored sessions whose clients are not connected, for operators. The steps:
 *
 * <ol>
 *   <li>acquire the client id, as a connection does ({@link SessionDirectory}): a connection that comes meanwhile waits
 *   <li>make the checks of a SUBSCRIBE: limits of filters, filters that the session has, quotas, the auth provider
 *   <li>change the session's filters, with the next attach number ({@link InboxClient#changeFilters}); then the routes,
 *       with that number. Unsubscribing goes in the other order, as in {@link SubscriptionSteps}, for the same reasons
 *   <li>release the client id
 * </ol>
 *
 * <p>A failure between the two stores leaves a subscription whose route the client's next connection writes. Any
 * thread; futures complete on any.
 */
public final class StoredSubscriber {
    private final DistClient dist;
    private final InboxClient inbox;
    private final SessionDirectory directory;
    private final Authorizer authorizer;
    private final TenantPolicies policies;
    private final MqttReports reports;

    /** Uses the present configuration of {@code services}. */
    public StoredSubscriber(SessionServices services, SessionDirectory directory) {
        this.dist = services.dist;
        this.inbox = services.inbox;
        this.directory = directory;
        this.authorizer = services.authorizer;
        this.policies = services.policies();
        this.reports = services.reports();
    }

    /**
     * The result.
     *
     * @param codes in order, as in SUBACK or UNSUBACK; empty unless it was done
     */
    public record Outcome(FilterChange.Outcome outcome, List<ReasonCode> codes) {
        public Outcome {
            codes = List.copyOf(codes);
        }
    }

    /** Reads all subscriptions of the session. Called while nobody else can change them. */
    public interface Present extends Supplier<CompletableFuture<List<StoredSubscription>>> {}

    /**
     * Complete when every publish received from then on reaches the session through the granted filters. Fails like the
     * stores, then some may be stored; and with {@link TenantNotKnownException}.
     *
     * @param client of the session, as it is stored
     * @param asked with filters as the broker matches them
     * @param subscriptionId 0 when absent
     * @param isAbandoned whether the caller has given up: then no new step begins; called on any thread
     */
    public CompletableFuture<Outcome> subscribe(
            ClientInfo client,
            List<Subscription> asked,
            int subscriptionId,
            Present present,
            BooleanSupplier isAbandoned) {
        int id = client.protocolLevel() >= 5 ? subscriptionId : 0;
        return known(client.tenant())
                .thenCompose(known -> held(client, isAbandoned, () -> {
                    Quota quota = new Quota(client);
                    return present.get()
                            .thenCompose(all -> checked(client, asked, id > 0, all, quota))
                            .thenCompose(refused -> subscribe(
                                    client, policies.of(client.tenant()).granted(asked), id, refused, isAbandoned))
                            .whenComplete((done, failure) -> quota.stored());
                }));
    }

    /** Fails if the settings of the tenant are not known: no limit is skipped. */
    private CompletableFuture<TenantAnswer> known(TenantId tenant) {
        return policies.tenants().said(tenant).handle((answer, failure) -> {
            if (answer != TenantAnswer.KNOWN) {
                throw new TenantNotKnownException("the limits of the tenant are not known now");
            }
            return answer;
        });
    }

    /** The provider of settings does not answer, or says that the tenant does not exist. */
    public static final class TenantNotKnownException extends RuntimeException {
        private TenantNotKnownException(String message) {
            super(message, null, false, false);
        }
    }

    /** The subscriptions that one call counts for the tenant until they are stored. One thread at a time. */
    private final class Quota {
        private final ClientInfo client;
        private final TenantAccount account;
        private final List<TopicFilter> counted = new ArrayList<>();

        private Quota(ClientInfo client) {
            this.client = client;
            this.account = policies.tenants().accounts().of(client.tenant());
        }

        /** Whether the tenant or the shared group is full; if not, counts the subscription. */
        private boolean isOver(TopicFilter filter, TenantPolicy policy) {
            long ofGroup = policy.number(TenantSetting.MAX_SHARED_GROUP_SIZE);
            TenantResource over = account.subscribing(filter, ofGroup == 0 ? TenantAccount.ANY : ofGroup);
            if (over == null) {
                counted.add(filter);
                return false;
            }
            long most = account.most(over);
            boolean isOfGroup = over == TenantResource.SHARED_SUBSCRIPTIONS && ofGroup > 0;
            reports.tenantLimitReached(client, over, isOfGroup ? Math.min(most, ofGroup) : most);
            return true;
        }

        private void stored() {
            counted.forEach(account::subscribed);
        }
    }

    private <T> CompletableFuture<T> held(
            ClientInfo client, BooleanSupplier isAbandoned, Supplier<CompletableFuture<T>> work) {
        Holder holder = new Holder() {
            @Override
            public @Nullable String userName() {
                return client.userName();
            }

            @Override
            public void giveUp() {
                // it gives up soon by itself
            }
        };
        return directory
                .acquire(client.tenant(), client.clientId(), holder, Takeover.OF_ANYBODY)
                .thenCompose(answer -> held(answer, isAbandoned, work));
    }

    private static <T> CompletableFuture<T> held(
            Answer answer, BooleanSupplier isAbandoned, Supplier<CompletableFuture<T>> work) {
        if (!(answer instanceof Lease lease)) {
            return CompletableFuture.failedFuture(new IllegalStateException("refused: " + answer));
        }
        if (isAbandoned.getAsBoolean()) {
            lease.release();
            return CompletableFuture.failedFuture(new IllegalStateException("the client id came too late"));
        }
        CompletableFuture<T> result;
        try {
            result = work.get();
        } catch (RuntimeException e) { // the client id must be released
            result = CompletableFuture.failedFuture(e);
        }
        return result.whenComplete((done, failure) -> lease.release());
    }

    /** Why each filter is refused, null if it is not; the same checks as {@link SubscribeHandler}. */
    private CompletableFuture<List<@Nullable ReasonCode>> checked(
            ClientInfo client,
            List<Subscription> asked,
            boolean hasIdentifier,
            List<StoredSubscription> present,
            Quota quota) {
        List<CompletableFuture<AuthDecision>> answers = new ArrayList<>(asked.size());
        boolean asks = authorizer.asks(AuthCheck.SUBSCRIBE);
        for (Subscription each : asked) {
            answers.add(
                    asks
                            ? authorizer.subscribe(new SubscribeRequest(client, each.filter(), each.qos()))
                            : CompletableFuture.completedFuture(AuthDecision.ALLOWED));
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> codes(
                        client,
                        asked,
                        hasIdentifier,
                        present,
                        answers.stream().map(CompletableFuture::join).toList(),
                        quota));
    }

    private List<@Nullable ReasonCode> codes(
            ClientInfo client,
            List<Subscription> asked,
            boolean hasIdentifier,
            List<StoredSubscription> present,
            List<AuthDecision> answers,
            Quota quota) {
        TenantPolicy policy = policies.of(client.tenant());
        FilterCount count = new FilterCount();
        FilterPatterns patterns = new FilterPatterns();
        present.forEach(each -> add(each.filter(), count, patterns));
        List<@Nullable ReasonCode> refused = new ArrayList<>(asked.size());
        for (int i = 0; i < asked.size(); i++) {
            TopicFilter filter = asked.get(i).filter();
            FilterRefusal refusal = refusal(filter, i, hasIdentifier, policy);
            if (refusal == null && answers.get(i) instanceof AuthDecision.Denied denied) {
                authorizer.subscribeDenied(client, filter.text(), denied);
                refused.add(ReasonCode.NOT_AUTHORIZED);
                continue;
            }
            if (refusal == null && !count.contains(filter)) {
                if (isOver(filter, count, patterns, policy.limits())) {
                    refusal = FilterRefusal.TOO_MANY;
                } else if (quota.isOver(filter, policy)) {
                    refusal = FilterRefusal.TENANT_LIMIT;
                }
            }
            if (refusal == null) {
                add(filter, count, patterns);
                refused.add(null);
            } else {
                ReasonCode code = refusal.code();
                reports.subscribeRefused(client, filter.text(), refusal.cause(), code.name());
                refused.add(code);
            }
        }
        return refused;
    }

    /** Why a filter is refused regardless of the session's filters; null if it is not. */
    private static @Nullable FilterRefusal refusal(
            TopicFilter filter, int place, boolean hasIdentifier, TenantPolicy policy) {
        if (place >= policy.limits().maxFiltersPerSubscribe()) {
            return FilterRefusal.TOO_MANY;
        }
        if (!policy.allows(filter.text())) {
            return FilterRefusal.LIMIT;
        }
        if (filter.isExclusive()) { // only connections know the holders of exclusive filters
            return FilterRefusal.NOT_ALLOWED;
        }
        ReasonCode isOff = policy.refusal(filter, hasIdentifier);
        return isOff == null ? null : FilterRefusal.ofPolicy(isOff);
    }

    private static void add(TopicFilter filter, FilterCount count, FilterPatterns patterns) {
        if (count.add(filter)) {
            patterns.add(filter);
        }
    }

    private static boolean isOver(TopicFilter filter, FilterCount count, FilterPatterns patterns, TopicLimits limits) {
        return count.size() >= limits.maxFiltersPerSession()
                || count.chars() + FilterSize.chars(filter) > SubscribeHandler.MAX_FILTER_CHARS
                || patterns.sizeWith(filter) > limits.maxPatternsPerSession();
    }

    private CompletableFuture<Outcome> subscribe(
            ClientInfo client,
            List<Subscription> asked,
            int subscriptionId,
            List<@Nullable ReasonCode> refused,
            BooleanSupplier isAbandoned) {
        List<StoredSubscription> added = new ArrayList<>(asked.size());
        List<ReasonCode> codes = new ArrayList<>(asked.size());
        Map<TopicFilter, SubscriptionOptions> routes = new LinkedHashMap<>();
        for (int i = 0; i < asked.size(); i++) {
            Subscription each = asked.get(i);
            ReasonCode refusal = refused.get(i);
            codes.add(refusal == null ? ReasonCode.granted(each.qos()) : refusal);
            if (refusal == null) {
                StoredSubscription stored = new StoredSubscription(
                        each.filter(),
                        each.qos(),
                        each.noLocal(),
                        each.retainAsPublished(),
                        each.retainHandling().value(),
                        subscriptionId);
                added.add(stored);
                // the last subscription of a filter counts
                routes.put(each.filter(), SubscriptionSteps.optionsOf(stored));
            }
        }
        if (added.isEmpty()) {
            return CompletableFuture.completedFuture(new Outcome(FilterChange.Outcome.DONE, codes));
        }
        return inbox.changeFilters(
                        client.tenant(), client.clientId(), true, added, List.of(), isAbandoned::getAsBoolean)
                .thenCompose(change -> change.outcome() == FilterChange.Outcome.DONE
                        ? dist.addRoutes(routes, receiver(client, change), number(change))
                                .thenApply(routed -> new Outcome(change.outcome(), codes))
                        : notDone(change));
    }

    private static InboxReceiver receiver(ClientInfo client, FilterChange change) {
        return new InboxReceiver(client.tenant(), client.clientId(), change.incarnation());
    }

    /** Nobody else has the attach number. */
    private static RouteNumber number(FilterChange change) {
        return RouteNumber.of(change.attachNumber(), 1);
    }

    private static CompletableFuture<Outcome> notDone(FilterChange change) {
        return CompletableFuture.completedFuture(new Outcome(change.outcome(), List.of()));
    }

    /**
     * Complete when no message received from then on reaches the session through these filters. Fails like the stores;
     * then some may be gone.
     *
     * @param filters as the broker matches them
     * @param isAbandoned as in {@link #subscribe}
     */
    public CompletableFuture<Outcome> unsubscribe(
            ClientInfo client, List<TopicFilter> filters, BooleanSupplier isAbandoned) {
        List<TopicFilter> distinct = List.copyOf(new HashSet<>(filters));
        return held(
                client,
                isAbandoned,
                () -> inbox.changeFilters(
                                client.tenant(),
                                client.clientId(),
                                true,
                                List.of(),
                                List.of(),
                                isAbandoned::getAsBoolean)
                        .thenCompose(change -> change.outcome() == FilterChange.Outcome.DONE
                                ? dist.removeRoutes(distinct, receiver(client, change), number(change))
                                        .thenCompose(removed -> inbox.changeFilters(
                                                client.tenant(),
                                                client.clientId(),
                                                false,
                                                List.of(),
                                                distinct,
                                                isAbandoned::getAsBoolean))
                                        .thenApply(done -> unsubscribed(filters, distinct, done))
                                : notDone(change)));
    }

    private static Outcome unsubscribed(List<TopicFilter> filters, List<TopicFilter> distinct, FilterChange change) {
        if (change.outcome() != FilterChange.Outcome.DONE) {
            return new Outcome(change.outcome(), List.of());
        }
        Set<TopicFilter> existed = new HashSet<>();
        Iterator<Boolean> flags = change.flags().iterator();
        for (TopicFilter each : distinct) {
            if (flags.next()) {
                existed.add(each);
            }
        }
        return new Outcome(
                change.outcome(),
                filters.stream()
                        .map(each -> existed.contains(each) ? ReasonCode.SUCCESS : ReasonCode.NO_SUBSCRIPTION_EXISTED)
                        .toList());
    }
}
