package io.godwit.broker.clients.remote;

import io.godwit.broker.clients.node.NodeSubscriptions;
import io.godwit.broker.clients.wire.Subscription;
import io.godwit.broker.clients.wire.SubscriptionsAnswer;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.plugin.message.Qos;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Encodes the subscriptions of a session; the rules are those of {@link ClientWire}. */
public final class SubscriptionsWire {
    private static final int MAX_QOS = 2;
    private static final int MAX_ID = 268_435_455;

    private SubscriptionsWire() {}

    /** As many as fit; a shortened page continues after its last filter. */
    static SubscriptionsAnswer answer(Optional<NodeSubscriptions> found) {
        SubscriptionsAnswer.Builder message = SubscriptionsAnswer.newBuilder().setIsFound(found.isPresent());
        long bytes = 0;
        for (NodeSubscriptions.Entry entry :
                found.map(NodeSubscriptions::entries).orElse(List.of())) {
            SubscriptionOptions options = entry.options();
            Subscription subscription = Subscription.newBuilder()
                    .setFilter(entry.filter())
                    .setQos(options.qos().value())
                    .setNoLocal(options.noLocal())
                    .setRetainAsPublished(options.retainAsPublished())
                    .setSubscriptionId(options.subscriptionId())
                    .build();
            bytes += subscription.getSerializedSize();
            if (message.getSubscriptionsCount() > 0 && bytes > ClientWire.MAX_ANSWER_BYTES) {
                return message.setHasMore(true).build();
            }
            message.addSubscriptions(subscription);
        }
        return message.setHasMore(found.map(NodeSubscriptions::hasMore).orElse(false))
                .build();
    }

    /** @throws IllegalArgumentException for an impossible answer */
    public static Optional<NodeSubscriptions> subscriptions(
            SubscriptionsAnswer message, @Nullable String after, int limit) {
        if (!message.getIsFound()) {
            return Optional.empty();
        }
        if (message.getSubscriptionsCount() > limit || message.getHasMore() && message.getSubscriptionsCount() == 0) {
            throw new IllegalArgumentException(
                    message.getSubscriptionsCount() + " subscriptions in a page of " + limit + " at most");
        }
        List<NodeSubscriptions.Entry> entries = new ArrayList<>(message.getSubscriptionsCount());
        String last = after;
        for (Subscription each : message.getSubscriptionsList()) {
            if (last != null && each.getFilter().compareTo(last) <= 0) {
                throw new IllegalArgumentException("subscriptions out of order");
            }
            last = each.getFilter();
            boolean isQos = each.getQos() >= 0 && each.getQos() <= MAX_QOS;
            boolean isId = each.getSubscriptionId() >= 0 && each.getSubscriptionId() <= MAX_ID;
            if (last.isEmpty() || !isQos || !isId) {
                throw new IllegalArgumentException("no subscription");
            }
            entries.add(new NodeSubscriptions.Entry(
                    last,
                    new SubscriptionOptions(
                            Qos.of(each.getQos()),
                            each.getNoLocal(),
                            each.getRetainAsPublished(),
                            each.getSubscriptionId())));
        }
        return Optional.of(new NodeSubscriptions(entries, message.getHasMore()));
    }
}
