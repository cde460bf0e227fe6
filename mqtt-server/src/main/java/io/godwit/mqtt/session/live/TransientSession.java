package io.godwit.mqtt.session.live;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.mqtt.client.LiveSubscriptions;
import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.session.Session;
import io.godwit.mqtt.session.core.SessionServices;
import io.godwit.mqtt.session.core.SessionTerms;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.mqtt.transport.connection.OnEventLoop;
import io.godwit.mqtt.transport.loop.LoopContext;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A session that ends with its connection (session expiry 0): it lives in memory, subscribes itself as a live receiver
 * and numbers its own packets. Holds its subscriptions and its will; {@link QueueingSession} has its deliveries.
 * Confined to the connection's event loop, except for {@link #loop}, {@link #clientId} and {@link #hold}.
 */
public final class TransientSession extends QueueingSession implements LiveReceiver {
    private static final int[] NONE_RECEIVED = {};
    private static final int MAX_LISTED = 16;

    /** Holds the will; null without one. */
    private final @Nullable InboxAttachment willAttachment;

    /** Null until the first use. A session with one subscription has one list. */
    private @Nullable Collection<TopicFilter> subscribed;

    /**
     * @param willAttachment keeps the will at the inbox store; null without one
     * @param end see {@link Session.End}
     */
    public TransientSession(
            Connection connection,
            SessionServices services,
            SessionTerms terms,
            @Nullable InboxAttachment willAttachment,
            End end) {
        super(connection, services, terms, end);
        this.willAttachment = willAttachment;
    }

    @Override
    public void start() {
        // a new session has no waiting messages
    }

    /** The loop that owns this session; any thread. */
    LoopContext loop() {
        return connection.loop();
    }

    @Override
    public ClientId clientId() {
        return terms.client().clientId();
    }

    // ---- subscriptions

    @Override
    public CompletableFuture<List<Boolean>> subscribe(List<Subscription> subscriptions, int subscriptionId) {
        List<Boolean> isNew = new ArrayList<>(subscriptions.size());
        List<CompletableFuture<Boolean>> steps = new ArrayList<>(subscriptions.size());
        for (Subscription s : subscriptions) {
            steps.add(services.dist.subscribe(
                    client().tenant(),
                    s.filter(),
                    this,
                    new SubscriptionOptions(s.qos(), s.noLocal(), s.retainAsPublished(), subscriptionId)));
        }
        CompletableFuture<List<Boolean>> done = new CompletableFuture<>();
        OnEventLoop.whenComplete(
                connection, CompletableFuture.allOf(steps.toArray(new CompletableFuture<?>[0])), (all, failure) -> {
                    if (failure != null) {
                        // all filters of a SUBSCRIBE get the same answer: remove the new ones
                        for (int i = 0; i < steps.size(); i++) {
                            CompletableFuture<Boolean> step = steps.get(i);
                            if (!step.isCompletedExceptionally() && step.getNow(false)) {
                                services.dist.unsubscribe(
                                        client().tenant(), subscriptions.get(i).filter(), this);
                            }
                        }
                        done.completeExceptionally(failure);
                        return;
                    }
                    for (int i = 0; i < steps.size(); i++) {
                        boolean added = steps.get(i).getNow(false);
                        isNew.add(added);
                        if (added) {
                            remember(subscriptions.get(i).filter());
                        }
                    }
                    done.complete(isNew);
                });
        return done;
    }

    private void remember(TopicFilter filter) {
        if (isClosed()) {
            services.dist.unsubscribe(client().tenant(), filter, this);
            return;
        }
        if (subscribed == null) {
            subscribed = new ArrayList<>(1);
        } else if (subscribed.size() == MAX_LISTED) { // a list would be searched at each removal
            subscribed = new LinkedHashSet<>(subscribed);
        }
        subscribed.add(filter);
    }

    @Override
    public LiveSubscriptions subscriptions() {
        return new LiveSubscriptions(this, subscribed == null ? List.of() : List.copyOf(subscribed));
    }

    @Override
    public CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters) {
        List<CompletableFuture<Boolean>> steps = new ArrayList<>(filters.size());
        for (TopicFilter filter : filters) {
            steps.add(services.dist.unsubscribe(client().tenant(), filter, this));
            if (subscribed != null) {
                subscribed.remove(filter);
            }
            cancelReplay(filter);
        }
        return CompletableFuture.allOf(steps.toArray(new CompletableFuture<?>[0]))
                .thenApply(all -> steps.stream().map(step -> step.getNow(false)).toList());
    }

    // ---- the end

    @Override
    protected @Nullable InboxAttachment attachment() {
        return null;
    }

    @Override
    protected int[] receivedBefore() {
        return NONE_RECEIVED;
    }

    @Override
    protected void release(long disconnectExpirySeconds, boolean publishWill) {
        List<CompletableFuture<?>> steps = new ArrayList<>();
        if (subscribed != null) {
            for (TopicFilter filter : subscribed) {
                steps.add(services.dist.unsubscribe(client().tenant(), filter, this));
            }
            subscribed = null;
        }
        if (willAttachment != null) {
            steps.add(willAttachment.detach(-1, publishWill));
        }
        endDeliveries(); // after the unsubscribes: shared groups no longer choose this session
        releaseAfter(CompletableFuture.allOf(steps.toArray(new CompletableFuture<?>[0])));
    }

    @Override
    public String toString() {
        return "TransientSession[" + terms.client() + "]";
    }
}
