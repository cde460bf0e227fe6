package io.godwit.broker.start;

import io.godwit.broker.clients.node.TopicLookup;
import io.godwit.dist.DistWorker;
import io.godwit.dist.client.GroupInfo;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.client.TopicReceivers;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks topics up in the routes of this node, for operators. */
record TopicsHere(DistWorker dist) implements TopicLookup {
    @Override
    public TopicReceivers receivers(TenantId tenant, String topic, int most) {
        return dist.receivers(tenant, topic, most);
    }

    @Override
    public TopicReceivers subscribers(TenantId tenant, TopicFilter filter, int most) {
        return dist.subscribers(tenant, filter, most);
    }

    @Override
    public @Nullable SubscriptionOptions options(TenantId tenant, TopicFilter filter, Receiver receiver) {
        return dist.options(tenant, filter, receiver);
    }

    @Override
    public List<GroupInfo> groups(
            TenantId tenant, @Nullable String shareName, @Nullable String filter, @Nullable String after, int most) {
        return dist.groups(tenant, shareName, filter, after, most);
    }
}
