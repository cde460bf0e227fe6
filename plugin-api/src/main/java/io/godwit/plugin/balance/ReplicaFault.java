package io.godwit.plugin.balance;

import java.time.Duration;

/**
 * A replica has stopped after a fault of its own, such as damaged files. It keeps its files, copies nothing and does
 * not vote.
 *
 * @param lasting how long the fault has been seen
 * @param isReplaceable whether its store takes a blank replica in its place once the faulty one is no longer a
 *     member. False when the whole store is at fault, or when the store still keeps files of an earlier replica of the
 *     range: the disk has failed twice, and an operator should look at it
 */
public record ReplicaFault(Duration lasting, boolean isReplaceable) {
    public ReplicaFault {
        if (lasting.isNegative()) {
            throw new IllegalArgumentException("a fault lasting " + lasting);
        }
    }
}
