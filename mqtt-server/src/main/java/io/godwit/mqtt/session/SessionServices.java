package io.godwit.mqtt.session;

import io.godwit.dist.client.DistClient;
import io.godwit.inbox.client.InboxClient;
import io.godwit.mqtt.auth.Authorizer;
import io.godwit.mqtt.subscribe.SubscribeHandler;
import io.godwit.mqtt.topic.TopicRules;
import io.godwit.mqtt.transport.LoopContext;
import io.godwit.mqtt.transport.MqttMetrics;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.DropReason;
import io.godwit.plugin.event.EventListener;
import io.godwit.retain.client.RetainClient;
import java.util.function.LongSupplier;

/** What all sessions of a node share. Immutable but for the loops' budgets, each confined to its loop. */
public final class SessionServices {
    final SessionConfig config;
    final DistClient dist;
    final InboxClient inbox;
    final RetainClient retain;
    final Authorizer authorizer;
    final EventListener events;
    final MqttMetrics metrics;
    final SubscribeHandler subscribeHandler;
    private final TopicRules topicRules;
    private final LongSupplier wallMillis;
    private final UnstoredBudget[] budgets;

    /**
     * @param wallMillis the wall clock, milliseconds since the epoch
     * @param loops the number of event loops
     */
    public SessionServices(
            SessionConfig config,
            DistClient dist,
            InboxClient inbox,
            RetainClient retain,
            Authorizer authorizer,
            EventListener events,
            MqttMetrics metrics,
            LongSupplier wallMillis,
            int loops) {
        this(config, TopicRules.NONE, dist, inbox, retain, authorizer, events, metrics, wallMillis, loops);
    }

    /** With rules for topics. */
    public SessionServices(
            SessionConfig config,
            TopicRules topicRules,
            DistClient dist,
            InboxClient inbox,
            RetainClient retain,
            Authorizer authorizer,
            EventListener events,
            MqttMetrics metrics,
            LongSupplier wallMillis,
            int loops) {
        this.config = config;
        this.dist = dist;
        this.inbox = inbox;
        this.retain = retain;
        this.authorizer = authorizer;
        this.events = events;
        this.metrics = metrics;
        this.wallMillis = wallMillis;
        this.topicRules = topicRules;
        this.subscribeHandler = new SubscribeHandler(authorizer, topicRules.allowsExclusive());
        budgets = new UnstoredBudget[loops];
        for (int i = 0; i < loops; i++) {
            budgets[i] = new UnstoredBudget(Math.max(1, config.maxUnstoredNodeBytes() / loops));
        }
    }

    public SessionConfig config() {
        return config;
    }

    public TopicRules topicRules() {
        return topicRules;
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

    public EventListener events() {
        return events;
    }

    public MqttMetrics metrics() {
        return metrics;
    }

    /** Wall clock, milliseconds since the epoch. */
    public long nowMillis() {
        return wallMillis.getAsLong();
    }

    UnstoredBudget budgetOf(LoopContext loop) {
        return budgets[loop.index()];
    }

    /** Counts and reports one message that {@code receiver} does not get. */
    void dropped(ClientInfo receiver, String topic, DropReason reason) {
        ClientId clientId = receiver.clientId();
        metrics.dropped(reason);
        events.onEvent(new BrokerEvent.MessageDropped(receiver.tenant(), clientId, topic, reason));
    }
}
