package io.godwit.broker.clients.node;

import io.godwit.dist.client.GroupInfo;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.client.TopicReceivers;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the receivers of topics and the subscribers of filters on this node: {@link io.godwit.dist.DistWorker}. Any
 * thread.
 */
public interface TopicLookup {
    /** See {@link io.godwit.dist.DistWorker#receivers}. */
    TopicReceivers receivers(TenantId tenant, String topic, int most);

    /** See {@link io.godwit.dist.DistWorker#subscribers}. */
    TopicReceivers subscribers(TenantId tenant, TopicFilter filter, int most);

    /** See {@link io.godwit.dist.DistWorker#options}. */
    @Nullable
    SubscriptionOptions options(TenantId tenant, TopicFilter filter, Receiver receiver);

    /** See {@link io.godwit.dist.DistWorker#groups}. */
    List<GroupInfo> groups(
            TenantId tenant, @Nullable String shareName, @Nullable String filter, @Nullable String after, int most);
}
