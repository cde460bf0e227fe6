package io.godwit.mqtt.session.core;

import io.godwit.dist.client.DistClient;
import io.godwit.inbox.client.InboxClient;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.client.ClientIndexes;
import io.godwit.mqtt.intercept.Interceptors;
import io.godwit.mqtt.subscribe.SubscribeHandler;
import io.godwit.mqtt.tenant.TenantPolicies;
import io.godwit.mqtt.tenant.Tenants;
import io.godwit.mqtt.top.Traffic;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.mqtt.trace.Tracing;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.mqtt.transport.report.MqttMetrics;
import io.godwit.mqtt.transport.report.MqttReports;
import io.godwit.retain.client.RetainClient;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What all sessions of a node share. Immutable, except for the budgets and client lists of loops, each confined to its
 * loop, and for {@link PublisherWaits}.
 */
public final class SessionServices {
    public final SessionConfig config;
    public final DistClient dist;
    public final InboxClient inbox;
    public final RetainClient retain;
    /** Null on a node that is alone, where {@link #dist} knows which client has an exclusive filter. */
    public final @Nullable ExclusiveLeases exclusive;

    public final Authorizer authorizer;
    public final MqttReports reports;
    public final MqttMetrics metrics;
    public final Tracing tracing;
    public final SubscribeHandler subscribeHandler;
    public final Interceptors interceptors;
    private final TopicRules topicRules;
    private final TenantPolicies policies;
    private final LongSupplier wallMillis;
    private final UnstoredBudget[] budgets;
    private final ClientIndexes clients;
    public final QueuedBytes queuedBytes;
    /** Budget for the filters of connected sessions. */
    public final QueuedBytes filterBytes;
    /** Budget for the notes of replays of retained messages. */
    public final QueuedBytes noteBytes;

    public final PublisherWaits publisherWaits;
    public final OutLatency outLatency;
    public final Traffic traffic;
    private final LoopCounts[] counts;

    /**
     * @param wallMillis the wall clock, milliseconds since the epoch
     * @param loops the number of event loops
     */
    public SessionServices(
            SessionConfig config,
            SessionStores stores,
            Authorizer authorizer,
            MqttReports reports,
            LongSupplier wallMillis,
            int loops) {
        this(config, TopicRules.NONE, new Tenants(), stores, authorizer, reports, wallMillis, loops);
    }

    /** With rules for topics, and tenant settings. */
    public SessionServices(
            SessionConfig config,
            TopicRules topicRules,
            Tenants tenants,
            SessionStores stores,
            Authorizer authorizer,
            MqttReports reports,
            LongSupplier wallMillis,
            int loops) {
        this.config = config;
        this.dist = stores.dist();
        this.inbox = stores.inbox();
        this.retain = stores.retain();
        this.exclusive = stores.exclusive() == null ? null : new ExclusiveLeases(stores.exclusive());
        this.authorizer = authorizer;
        this.reports = reports;
        this.metrics = reports.metrics();
        this.tracing = reports.tracing();
        this.wallMillis = wallMillis;
        this.topicRules = topicRules;
        this.interceptors = Interceptors.NONE;
        this.policies = new TenantPolicies(config.ofNode(topicRules.allowsExclusive()), tenants);
        this.subscribeHandler = new SubscribeHandler(authorizer, reports);
        long unstored = config.intake().ofNode();
        budgets = new UnstoredBudget[loops];
        for (int i = 0; i < loops; i++) {
            budgets[i] = new UnstoredBudget(Math.max(1, unstored / loops));
        }
        clients = new ClientIndexes(loops);
        queuedBytes = QueuedBytes.ofHeap();
        filterBytes = QueuedBytes.ofHeap();
        noteBytes = QueuedBytes.ofHeap();
        publisherWaits = new PublisherWaits(System::nanoTime);
        outLatency = new OutLatency(loops, metrics.messages(), wallMillis);
        traffic = new Traffic(loops, wallMillis);
        counts = new LoopCounts[loops];
        Arrays.setAll(counts, loop -> new LoopCounts());
        metrics.sessions()
                .register(
                        () -> LoopCounts.sum(counts, LoopCounts::inboundUnderWay),
                        () -> LoopCounts.sum(counts, LoopCounts::outboundUnderWay),
                        () -> LoopCounts.sum(counts, LoopCounts::queued),
                        () -> LoopCounts.sum(counts, LoopCounts::acknowledged));
    }

    /** With other limits; shares the counts over all sessions. */
    private SessionServices(
            SessionServices other, SessionConfig config, Authorizer authorizer, Interceptors interceptors) {
        this.interceptors = interceptors;
        this.config = config;
        this.dist = other.dist;
        this.inbox = other.inbox;
        this.retain = other.retain;
        this.exclusive = other.exclusive;
        this.authorizer = authorizer;
        this.reports = other.reports;
        this.metrics = other.metrics;
        this.tracing = other.tracing;
        this.wallMillis = other.wallMillis;
        this.topicRules = other.topicRules;
        this.policies = new TenantPolicies(config.ofNode(topicRules.allowsExclusive()), other.policies.tenants());
        this.subscribeHandler = new SubscribeHandler(authorizer, reports);
        this.budgets = other.budgets;
        this.clients = other.clients;
        this.queuedBytes = other.queuedBytes;
        this.filterBytes = other.filterBytes;
        this.noteBytes = other.noteBytes;
        this.publisherWaits = other.publisherWaits;
        this.outLatency = other.outLatency;
        this.traffic = other.traffic;
        this.counts = other.counts;
    }

    /**
     * For new sessions. Counts and budgets over all sessions stay the same objects with the same limits:
     * {@link SessionConfig.Intake#maxUnstoredNodeBytes} of {@code next} has no effect.
     */
    public SessionServices reconfigured(SessionConfig next, Authorizer nextAuthorizer) {
        return new SessionServices(this, next, nextAuthorizer, interceptors);
    }

    /** The same with interceptors for the messages of sessions. */
    public SessionServices intercepted(Interceptors by) {
        return new SessionServices(this, config, authorizer, by);
    }

    public SessionConfig config() {
        return config;
    }

    public TopicRules topicRules() {
        return topicRules;
    }

    /** The settings of each tenant. */
    public TenantPolicies policies() {
        return policies;
    }

    public DistClient dist() {
        return dist;
    }

    public InboxClient inbox() {
        return inbox;
    }

    public Authorizer authorizer() {
        return authorizer;
    }

    public MqttReports reports() {
        return reports;
    }

    /** Wall clock, milliseconds since the epoch. */
    public long nowMillis() {
        return wallMillis.getAsLong();
    }

    /** Clients with a session, by event loop. */
    public ClientIndexes clients() {
        return clients;
    }

    /** Samples of inbound and outbound messages. */
    public Traffic traffic() {
        return traffic;
    }

    LoopCounts countsOf(LoopContext loop) {
        return counts[loop.index()];
    }

    public UnstoredBudget budgetOf(LoopContext loop) {
        return budgets[loop.index()];
    }
}
