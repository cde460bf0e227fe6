package io.godwit.broker.tenants;

import io.godwit.plugin.throttle.TenantResource;
import java.util.List;

/** Computes the share of one node in a limit of the whole cluster. */
final class NodeShare {
    private NodeShare() {}

    /**
     * For an amount: what the other nodes leave. For a rate: nodes that are not short of it keep what they use, and the
     * nodes that are short share the rest equally. This node counts as one of these, and gets at least an equal part of
     * the whole. When all nodes have the same information, their shares do not exceed the limit.
     *
     * @param others the use on each other node that has answered
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
