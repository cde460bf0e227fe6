package io.godwit.plugin.balance;

import java.time.Duration;

/**
 * A replica has stopped after a fault of its own, such as damaged files: it keeps what it has, copies nothing and does
 * not vote.
 *
 * @param lasting how long that has been seen
 * @param isReplaceable whether its store takes a blank replica in its place once it is no member any more. Not when the
 *     whole store is at fault, or when the files of an earlier replica of the range are still kept there: the disk has
 *     failed twice, and somebody should look at it
 */
public record ReplicaFault(Duration lasting, boolean isReplaceable) {
    public ReplicaFault {
        if (lasting.isNegative()) {
            throw new IllegalArgumentException("a fault lasting " + lasting);
        }
    }
}
