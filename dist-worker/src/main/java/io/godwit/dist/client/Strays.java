package io.godwit.dist.client;

/**
 * Is told which matches of a delivery got nothing: their routes go if their session has ended, and shared groups choose
 * another member.
 */
@FunctionalInterface
public interface Strays {
    /** Nobody asks. */
    Strays IGNORED = (delivery, match) -> {};

    /** Nobody asks, and another node has published: it alone chooses between nodes. */
    Strays OF_ANOTHER_NODE = (delivery, match) -> {};

    /**
     * The session of {@code match}, one of {@code delivery}, has ended: it got nothing. Called on any thread, before
     * the future of the delivery completes, for one match after the other; returns at once.
     */
    void found(Delivery delivery, Match match);

    /**
     * Whether the session of {@code match} shall get nothing, rather than drop a message, when it is full: another may
     * have room.
     */
    default boolean mayRefuse(Match match) {
        return false;
    }

    /** The session of {@code match}, which {@link #mayRefuse}, is full and got nothing. Called as {@link #found}. */
    default void refused(Match match) {
        throw new IllegalStateException("nobody may refuse");
    }
}
