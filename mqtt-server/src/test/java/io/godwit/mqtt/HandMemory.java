package io.godwit.mqtt;

import io.godwit.mqtt.transport.memory.MemoryGauge;
import java.util.concurrent.atomic.AtomicInteger;

/** Memory with the percentages that a test sets. */
public final class HandMemory implements MemoryGauge {
    public volatile double heap;
    public volatile double oldHeap;
    public volatile double direct;
    public volatile long collections;
    private final AtomicInteger asked = new AtomicInteger();

    @Override
    public double heapPercent() {
        return heap;
    }

    @Override
    public double oldHeapPercent() {
        return oldHeap;
    }

    @Override
    public double directPercent() {
        return direct;
    }

    @Override
    public long collections() {
        return collections;
    }

    @Override
    public void collect() {
        asked.incrementAndGet();
    }

    /** How often a collection was asked for. */
    public int asked() {
        return asked.get();
    }
}
