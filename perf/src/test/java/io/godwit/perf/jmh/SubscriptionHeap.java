package io.godwit.perf.jmh;

import io.godwit.dist.index.TenantIndex;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;

/**
 * Prints the bytes of heap that a number of subscriptions retain, with filters, receivers and their names. To be run
 * with little more heap than that.
 */
public final class SubscriptionHeap {
    private SubscriptionHeap() {}

    public static void main(String[] args) {
        MixedFilters.index(1_000); // loads classes and constants
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
