package io.godwit.mqtt.transport.memory;

/** The memory use of this process. Called on one thread. */
public interface MemoryGauge {
    /**
     * Percent of the heap in use after the latest collection of each of its pools: garbage at that time does not count.
     */
    double heapPercent();

    /** Percent of the heap that its old generation occupies now, garbage included: an upper bound of its live data. */
    double oldHeapPercent();

    /** Percent of the memory for off-heap buffers that is in use. */
    double directPercent();

    /** Number of collections so far. */
    long collections();

    /** Triggers a collection of the heap. May take seconds. */
    void collect();
}
