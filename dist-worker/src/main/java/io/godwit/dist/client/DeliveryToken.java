package io.godwit.dist.client;

/**
 * Makes the distribution of one QoS 2 message or will repeatable: an inbox that has seen the token for the same copy ({@link Match#sharedBy})
 * answers "already there", and a live receiver that was given the message is left out until the token is {@link DistClient#finished}.
 *
 * @param origin names the session that published it, tenant included, and its incarnation; unique in the cluster
 * @param number rises by one per message of that origin
 * @param finishedBelow every token of this origin with a lower number is distributed and may be forgotten
 * @param isResumed whether an earlier process may have distributed it, in part: what this one remembers of the token is not all
 */
public record DeliveryToken(String origin, long number, long finishedBelow, boolean isResumed) {
    /** Of a message that this process was the first to distribute. */
    public DeliveryToken(String origin, long number, long finishedBelow) {
        this(origin, number, finishedBelow, false);
    }
}
