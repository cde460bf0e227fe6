package io.godwit.mqtt.transport.memory;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.netty4.NettyAllocatorMetrics;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.UnpooledByteBufAllocator;

/** Meters of the buffer memory of the whole process: of connections, links and gRPC. */
public final class AllocatorMeters {
    private AllocatorMeters() {}

    public static void register(MeterRegistry meters) {
        new NettyAllocatorMetrics(UnpooledByteBufAllocator.DEFAULT).bindTo(meters);
        if (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator
                && ByteBufAllocator.DEFAULT != UnpooledByteBufAllocator.DEFAULT) {
            new NettyAllocatorMetrics(allocator).bindTo(meters);
        }
    }
}
