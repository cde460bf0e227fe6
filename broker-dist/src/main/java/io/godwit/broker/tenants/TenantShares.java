package io.godwit.broker.tenants;

import io.godwit.plugin.throttle.TenantResource;
import java.util.List;

/** How much of a limit of the whole cluster one node may have. */
final class TenantShares {
    private TenantShares() {}

    /**
     * Of an amount what the others leave. Of a rate: a node that is not short of it takes what it takes, and the nodes
     * that are short have the rest in equal parts; this one counts as one of them, and may have its part of the whole
     * in any case. When all nodes know the same, their shares are no more than the limit.
     *
     * @param others one for each other node that has told
     */
    static long share(TenantResource resource, long most, List<TenantUse> others) {
        if (others.isEmpty()) {
            return most;
        }
        long taken = 0;
        int shortNodes = 1;
        for (TenantUse other : others) {
            if (resource.isRate() && other.isShortOf(resource)) {
                shortNodes++;
            } else {
                taken += other.of(resource);
            }
        }
        long left = Math.max(0, most - taken);
        if (!resource.isRate()) {
            return left;
        }
        long equal = Math.max(Math.min(most, 1), most / (others.size() + 1));
        return Math.max(equal, left / shortNodes);
    }
}
