package io.godwit.inbox.leader.delivery;

import io.godwit.kv.client.RangeException;
import io.godwit.plugin.event.DropReason;

/** Drop reasons of QoS 0 messages. */
public final class Qos0Drops {
    private Qos0Drops() {}

    /** The reason when the leader of a QoS 0 message stops, or its batch fails, with this cause. */
    public static DropReason reasonOf(RangeException cause) {
        return switch (cause.reason()) {
            case OVERLOADED, DISK_FULL, TOO_LARGE, STORE_FAILED -> DropReason.STORE_FAILED;
            case TIMEOUT, MOVED, LOST, CLOSED -> DropReason.LEADERSHIP_LOST;
        };
    }
}
