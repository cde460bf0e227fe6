package io.godwit.cluster;

/**
 * Learns of members. Called on the cluster's one thread, in order, and must not block it.
 *
 * <p>A member that comes back, be it after a partition with the same incarnation or restarted with a higher one, has
 * gone before it joins anew.
 */
public interface ClusterListener {
    /** It is a member from now on, and has announced itself. This node is told of itself too. */
    default void joined(Member member) {}

    /** Its attributes changed. */
    default void updated(Member member) {}

    default void gone(Member member, Departure departure) {}

    /**
     * This node's id belongs to {@code other} now, a later life of it: this process was cut off, another took its
     * place, and both see each other. Whoever is told must stop serving.
     */
    default void superseded(Member other) {}
}
