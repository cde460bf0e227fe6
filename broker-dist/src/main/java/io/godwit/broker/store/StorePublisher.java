package io.godwit.broker.store;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.RouteNumber;
import io.godwit.inbox.GroupPublisher;
import io.godwit.inbox.RouteRemover;
import io.godwit.inbox.WillPublisher;
import io.godwit.inbox.client.GroupOutcome;
import io.godwit.inbox.client.GroupToken;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.DelayedTopic;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.client.RetainClient;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The effects of the inbox store on the other stores: publishes wills and undistributed QoS 2 messages, removes the
 * routes of ended sessions, and gives their messages of shared groups to other members. Thread-safe, without state.
 */
public final class StorePublisher implements WillPublisher, RouteRemover, GroupPublisher {
    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final Supplier<DistClient> dist;
    private final Supplier<RetainClient> retain;
    private final DelayedMessages delayed;
    private final boolean delays;

    /**
     * Takes suppliers, because the inbox store is built before the other two serve.
     *
     * @param delays whether messages may be delayed; those accepted earlier are published in any case
     */
    public StorePublisher(
            Supplier<DistClient> dist, Supplier<RetainClient> retain, DelayedMessages delayed, boolean delays) {
        this.dist = dist;
        this.retain = retain;
        this.delayed = delayed;
        this.delays = delays;
    }

    @Override
    public CompletableFuture<Boolean> publish(
            ClientInfo publisher,
            Message message,
            String tokenOrigin,
            long tokenNumber,
            long tokenFinishedBelow,
            long decidedAtMillis,
            @Nullable RequestOrder order,
            Resend resend) {
        DeliveryToken token = new DeliveryToken(tokenOrigin, tokenNumber, tokenFinishedBelow, true, order);
        return delayed.beforePublish(publisher)
                .thenCompose(done -> isRetained(message)
                        ? retain.get()
                                .setRecorded(publisher.tenant(), message, tokenOrigin, tokenNumber, decidedAtMillis)
                        : DONE)
                .thenCompose(done -> dist.get()
                        .publisher(delayed.publisherOf(publisher), resend)
                        .publish(message, token))
                .handle((outcome, failure) ->
                        failure == null && (outcome == DistOutcome.DELIVERED || outcome == DistOutcome.NO_MATCH));
    }

    @Override
    public void finished(TenantId tenant, @Nullable Message message, String tokenOrigin, long tokenNumber) {
        dist.get().finished(tokenOrigin, tokenNumber);
        if (message != null && isRetained(message)) {
            retain.get().finished(tenant, message.topic(), tokenOrigin, tokenNumber);
        }
    }

    /** A delayed message is retained when it is published. */
    private boolean isRetained(Message message) {
        return message.retain() && !(delays && DelayedTopic.isDelayed(message.topic()));
    }

    @Override
    public CompletableFuture<GroupOutcome> give(
            ClientInfo from, TopicFilter group, Message message, @Nullable GroupToken token, Resend resend) {
        // 0: its publisher tells when the message is finished
        DeliveryToken cameUnder =
                token == null ? null : new DeliveryToken(token.origin(), token.number(), 0, token.isRepeat());
        return dist.get().giveToGroup(from, group, message, cameUnder, resend).thenApply(outcome -> switch (outcome) {
            case DELIVERED -> GroupOutcome.GIVEN;
            case NO_MATCH -> GroupOutcome.NOBODY;
            case OVERLOADED, FAILED -> GroupOutcome.LATER;
        });
    }

    @Override
    public CompletableFuture<Boolean> remove(
            TenantId tenant, ClientId clientId, long incarnation, List<TopicFilter> filters) {
        InboxReceiver receiver = new InboxReceiver(tenant, clientId, incarnation);
        return dist.get()
                .removeRoutes(filters, receiver, RouteNumber.NONE) // the session is over
                .handle((done, failure) -> failure == null);
    }
}
