package io.godwit.cluster.link;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters of one lane to one node. Atomic, because metrics read them and successive peers of the node write them on
 * their own threads.
 */
final class LaneCounters {
    final AtomicLong sentFrames = new AtomicLong();
    final AtomicLong sentBytes = new AtomicLong();
    final AtomicLong resentFrames = new AtomicLong();
    final AtomicLong receivedFrames = new AtomicLong();
    final AtomicLong receivedBytes = new AtomicLong();
    final AtomicLong roundTripNanos = new AtomicLong();
}
