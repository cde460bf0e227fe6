package io.godwit.mqtt.transport;

/** How full the memory of this process is. Called on one thread. */
public interface MemoryGauge {
    /**
     * Percent of the heap that was in use after the latest collection of each of its parts: what was garbage then does
     * not count.
     */
    double heapPercent();

    /**
     * Percent of the heap that its old generation fills now, garbage included: an upper bound of what is in use there.
     */
    double oldHeapPercent();

    /** Percent of the memory for buffers outside the heap that is in use. */
    double directPercent();

    /** How many collections there have been. */
    long collections();

    /** Has the heap collected. May take seconds. */
    void collect();
}
