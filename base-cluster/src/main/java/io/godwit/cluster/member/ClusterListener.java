package io.godwit.cluster.member;

/**
 * Is told of changes of the members. Called in order on the cluster thread, which it must not block.
 *
 * <p>A member that returns after a partition (same incarnation) or a restart (higher incarnation) is first reported as
 * gone, then as joined.
 */
public interface ClusterListener {
    /** {@code member} has joined and has announced itself. Also called for this node. */
    default void joined(Member member) {}

    /** The attributes of {@code member} changed. */
    default void updated(Member member) {}

    default void gone(Member member, Departure departure) {}

    /**
     * This node's id now belongs to {@code other}, a later process of the same node. This process was cut off, another
     * one took its place, and now both see each other. The listener must stop serving.
     */
    default void superseded(Member other) {}
}
