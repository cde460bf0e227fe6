package io.godwit.mqtt.transport;

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
 * The memory of this JVM. What a pool had in use after its latest collection is kept by the JVM; the old generation of
 * G1 is collected in part by young collections and by itself between them, so that it may have less in use than was
 * left by the latest collection that the JVM tells of: the smaller number counts.
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
     * Pools whose usage can have a threshold are those that are not filled by every allocation; a heap of one pool has
     * no other.
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

    /** Of the buffers of connections, those included that the pool keeps for later. */
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
