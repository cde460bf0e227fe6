package io.godwit.cluster.link;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Of one lane to one node. Atomic since it is read by whoever measures, and written by one peer after the other, each
 * on its threads.
 */
final class LaneCounters {
    final AtomicLong sentFrames = new AtomicLong();
    final AtomicLong sentBytes = new AtomicLong();
    final AtomicLong resentFrames = new AtomicLong();
    final AtomicLong receivedFrames = new AtomicLong();
    final AtomicLong receivedBytes = new AtomicLong();
    final AtomicLong roundTripNanos = new AtomicLong();
}
