package io.godwit.dist.client;

import io.godwit.kv.client.RequestOrder;
import org.jspecify.annotations.Nullable;

/**
 * Makes the distribution of one QoS 2 message or will repeatable: an inbox that has seen the token for the same copy
 * ({@link Match#sharedBy}) answers "already there", and a live receiver that was given the message is left out, also
 * for a while after the token is {@link DistClient#finished}.
 *
 * @param origin identifies the publishing session with its tenant and incarnation; unique in the cluster
 * @param number rises by one per message of that origin
 * @param finishedBelow every token of this origin with a lower number is distributed and may be forgotten; 0 for a
 *     message that a member of a shared group leaves to another: its own token may be finished, and an inbox must not
 *     take it for a late copy
 * @param isResumed whether the message may already be distributed in part, by an earlier process or on another node, so
 *     that this process does not remember all of its receivers
 * @param order of the messages of that origin that are under way together: no receiver takes one when an earlier one
 *     has failed. Null when nothing is published after this one
 */
public record DeliveryToken(
        String origin,
        long number,
        long finishedBelow,
        boolean isResumed,
        @Nullable RequestOrder order) {
    /** For the first distribution of a message. */
    public DeliveryToken(String origin, long number, long finishedBelow) {
        this(origin, number, finishedBelow, false, null);
    }

    /** For a message that is under way alone. */
    public DeliveryToken(String origin, long number, long finishedBelow, boolean isResumed) {
        this(origin, number, finishedBelow, isResumed, null);
    }

    /**
     * The token of a message that a member of a shared group leaves to another one. It has no order: an earlier message
     * may have failed, but this one may be acknowledged already, and newer messages may overtake it.
     */
    public DeliveryToken leftByMember() {
        return new DeliveryToken(origin, number, 0, isResumed, null);
    }

    /** Whether an earlier message of the same {@link #order} has failed, so that no receiver may take this one. */
    public boolean isBehindFailed() {
        return order != null && order.isBrokenBefore(number);
    }

    /** The message has not reached every receiver: no receiver takes a later one of the same {@link #order}. */
    public void failed() {
        if (order != null) {
            order.failed(number);
        }
    }
}
