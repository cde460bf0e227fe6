package io.godwit.cluster.link.pairing;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters of one lane to one node. Atomic, because metrics read them and successive peers of the node write them on
 * their own threads.
 */
public final class LaneCounters {
    public final AtomicLong sentFrames = new AtomicLong();
    public final AtomicLong sentBytes = new AtomicLong();
    public final AtomicLong resentFrames = new AtomicLong();
    public final AtomicLong receivedFrames = new AtomicLong();
    public final AtomicLong receivedBytes = new AtomicLong();
    public final AtomicLong roundTripNanos = new AtomicLong();
}
