package io.godwit.perf.jmh;

import io.godwit.dist.route.TenantIndex;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;

/**
 * What so many subscriptions retain of heap: prints the bytes, filters, receivers and their names included. Run with
 * little more heap than that.
 */
public final class SubscriptionHeap {
    private SubscriptionHeap() {}

    public static void main(String[] args) {
        MixedFilters.index(1_000); // what is loaded once
        long before = used();
        TenantIndex index = MixedFilters.index(Integer.parseInt(args[0]));
        try {
            System.out.println(used() - before);
        } finally {
            Reference.reachabilityFence(index);
        }
    }

    private static long used() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
