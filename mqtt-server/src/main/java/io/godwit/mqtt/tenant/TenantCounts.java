package io.godwit.mqtt.tenant;

import io.godwit.plugin.client.TenantId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** How many clients of each tenant this node has; of those that have any. Any thread. */
public final class TenantCounts {
    /** Concurrent: connections come and go on all event loops. */
    private final ConcurrentMap<TenantId, Long> clients = new ConcurrentHashMap<>();

    /**
     * Counts one more, unless there are so many.
     *
     * @param most 0 for any number
     * @return whether it is counted; then {@link #leave} is due
     */
    public boolean enter(TenantId tenant, long most) {
        boolean[] isIn = {false};
        clients.compute(tenant, (same, before) -> {
            long present = before == null ? 0 : before;
            isIn[0] = most == 0 || present < most;
            return isIn[0] ? Long.valueOf(present + 1) : before;
        });
        return isIn[0];
    }

    public void leave(TenantId tenant) {
        clients.computeIfPresent(tenant, (same, present) -> present == 1 ? null : present - 1);
    }

    /** How many there are now. */
    public long of(TenantId tenant) {
        return clients.getOrDefault(tenant, 0L);
    }
}
