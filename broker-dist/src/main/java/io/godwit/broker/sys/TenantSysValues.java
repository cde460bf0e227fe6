package io.godwit.broker.sys;

import io.godwit.mqtt.quota.Holdings;
import io.godwit.mqtt.quota.TenantAccounts;
import io.godwit.mqtt.quota.TenantCount;
import io.godwit.mqtt.quota.TenantCounts;
import io.godwit.mqtt.quota.TenantMeters;
import io.godwit.plugin.client.TenantId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The figures of tenants below {@code $SYS/broker}, by the names that {@link SysValues} has for those of the node.
 * Figures of the node itself, such as version, uptime and memory, are left out. Any thread.
 */
public final class TenantSysValues implements SysTopics.OfTenants {
    private final Supplier<Set<TenantId>> tenants;
    private final TenantAccounts accounts;
    private final TenantMeters counted;
    private final Holdings holdings;

    /** @param tenants the tenants that get their figures */
    public TenantSysValues(
            Supplier<Set<TenantId>> tenants, TenantAccounts accounts, TenantMeters counted, Holdings holdings) {
        this.tenants = tenants;
        this.accounts = accounts;
        this.counted = counted;
        this.holdings = holdings;
    }

    @Override
    public Map<TenantId, Map<String, String>> next() {
        Map<TenantId, Map<String, String>> all = new HashMap<>();
        for (TenantId tenant : tenants.get()) {
            TenantCounts counts = counted.alone(tenant);
            if (counts != null && !tenant.equals(TenantId.DEFAULT)) {
                all.put(tenant, values(tenant, counts));
            }
        }
        return all;
    }

    private Map<String, String> values(TenantId tenant, TenantCounts counts) {
        long connected = accounts.connections(tenant);
        long disconnected = holdings.detachedSessions(tenant);
        Map<String, String> values = new LinkedHashMap<>();
        values.put("clients/connected", Long.toString(connected));
        values.put("clients/disconnected", Long.toString(disconnected));
        values.put("clients/total", Long.toString(connected + disconnected));
        values.put("publish/messages/received", sum(counts, TenantCount.PUBLISHES_IN));
        values.put("publish/messages/sent", sum(counts, TenantCount.PUBLISHES_OUT));
        values.put("publish/messages/dropped", sum(counts, TenantCount.DROPPED));
        values.put("bytes/received", sum(counts, TenantCount.BYTES_IN));
        values.put("bytes/sent", sum(counts, TenantCount.BYTES_OUT));
        values.put(
                "subscriptions/count",
                Long.toString(holdings.liveSubscriptions(tenant) + holdings.storedSubscriptions(tenant)));
        values.put("retained messages/count", Long.toString(holdings.retainedMessages(tenant)));
        return values;
    }

    private static String sum(TenantCounts counts, TenantCount what) {
        return Long.toString(counts.sum(what));
    }
}
