package io.godwit.broker.start;

import io.godwit.broker.tenants.WaitingTenants;
import io.godwit.dist.DistWorker;
import io.godwit.inbox.InboxStore;
import io.godwit.mqtt.quota.Holdings;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.retain.RetainStore;
import java.util.Map;
import java.util.Set;

/** What tenants have in the stores of this node. */
record NodeHoldings(DistWorker dist, InboxStore inbox, RetainStore retain) implements Holdings, WaitingTenants {
    @Override
    public long liveSubscriptions(TenantId tenant) {
        return dist.counts(tenant).live();
    }

    @Override
    public long liveSharedSubscriptions(TenantId tenant) {
        return dist.counts(tenant).liveShared();
    }

    @Override
    public long storedSubscriptions(TenantId tenant) {
        return dist.counts(tenant).stored();
    }

    @Override
    public long storedSharedSubscriptions(TenantId tenant) {
        return dist.counts(tenant).storedShared();
    }

    @Override
    public int groupMembers(TenantId tenant, TopicFilter filter) {
        return dist.membersOf(tenant, filter);
    }

    @Override
    public long detachedSessions(TenantId tenant) {
        return inbox.detachedSessions(tenant);
    }

    @Override
    public long detachedSessions() {
        return inbox.detachedSessions();
    }

    @Override
    public long queuedBytes(TenantId tenant) {
        return inbox.queuedBytes(tenant);
    }

    @Override
    public long delayedMessages(TenantId tenant) {
        return inbox.countedRecords(tenant);
    }

    @Override
    public long retainedMessages(TenantId tenant) {
        return retain.messages(tenant);
    }

    @Override
    public long retainedBytes(TenantId tenant) {
        return retain.payloadBytes(tenant);
    }

    @Override
    public long retainedBytes(TenantId tenant, String topic) {
        return retain.payloadBytes(tenant, topic);
    }

    @Override
    public Set<TenantId> withQueues() {
        return inbox.queuedTenants();
    }

    @Override
    public void boundQueues(Map<TenantId, Long> mostBytes) {
        inbox.boundBytes(mostBytes);
    }
}
