package io.godwit.mqtt.transport.memory;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;

/**
 * The memory of this JVM. The JVM reports how much of a pool was in use after its latest collection. But G1 also frees
 * parts of the old generation in young collections and between collections, so the present use may be smaller than that
 * number: the smaller one counts.
 */
public final class JvmMemory implements MemoryGauge {
    private final List<MemoryPoolMXBean> heap = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .toList();

    private final List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();

    @Override
    public double heapPercent() {
        long used = 0;
        for (MemoryPoolMXBean pool : heap) {
            MemoryUsage collected = pool.getCollectionUsage();
            long now = pool.getUsage().getUsed();
            used += collected == null ? now : Math.min(now, collected.getUsed());
        }
        return 100.0 * used / Runtime.getRuntime().maxMemory();
    }

    /**
     * Uses pools that support a usage threshold, since not every allocation fills them; a heap with a single pool has
     * no such pool.
     */
    @Override
    public double oldHeapPercent() {
        if (heap.size() == 1) {
            return heapPercent();
        }
        long used = 0;
        for (MemoryPoolMXBean pool : heap) {
            if (pool.isUsageThresholdSupported()) {
                used += pool.getUsage().getUsed();
            }
        }
        return 100.0 * used / Runtime.getRuntime().maxMemory();
    }

    @Override
    public double directPercent() {
        return 100.0 * directBytes() / PlatformDependent.maxDirectMemory();
    }

    /** Memory of connections' buffers, including buffers that the pool keeps for reuse. */
    public long directBytes() {
        long pooled = ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator
                ? allocator.metric().usedDirectMemory()
                : 0;
        return pooled + UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }

    @Override
    public long collections() {
        long count = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            count += collector.getCollectionCount();
        }
        return count;
    }

    @Override
    @SuppressWarnings("SystemGc") // see MemoryGuard
    public void collect() {
        System.gc();
    }
}
