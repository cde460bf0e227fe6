package io.godwit.inbox.leader;

import io.godwit.kv.client.RangeException;
import io.godwit.plugin.event.DropReason;

/** Why messages of QoS 0 are lost that nobody waits for. */
final class Qos0Drops {
    private Qos0Drops() {}

    /** Why a message of QoS 0 is dropped when its leader stops, or when a batch fails, with this cause. */
    static DropReason reasonOf(RangeException cause) {
        return switch (cause.reason()) {
            case OVERLOADED, DISK_FULL, TOO_LARGE, STORE_FAILED -> DropReason.STORE_FAILED;
            case TIMEOUT, MOVED, LOST, CLOSED -> DropReason.LEADERSHIP_LOST;
        };
    }
}
