package io.godwit.kv.range;

import io.godwit.kv.client.RangeException;

/** A request that waits until there is a leader. */
interface Waiting extends Expiring {
    void deliver(Leadership leadership);

    void refuse(RangeException cause);
}
