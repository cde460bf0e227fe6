package io.godwit.dist.client;

/**
 * Receives the matches of a delivery that got nothing: routes of ended sessions are then removed, and shared groups
 * choose another member.
 */
@FunctionalInterface
public interface Strays {
    /** Ignores the reports. */
    Strays IGNORED = (topic, match) -> {};

    /** For a message from another node. Ignores the reports, because only the publishing node chooses between nodes. */
    Strays OF_ANOTHER_NODE = (topic, match) -> {};

    /**
     * The session of {@code match}, one of a delivery of a message on {@code topic}, has ended and got nothing. Called
     * on any thread, before the future of the delivery completes, for one match at a time; must return at once.
     */
    void found(String topic, Match match);

    /**
     * Whether the session of {@code match}, when full, should refuse the message and drop nothing, because another may
     * have room.
     */
    default boolean mayRefuse(Match match) {
        return false;
    }

    /**
     * The session of {@code match}, for which {@link #mayRefuse} is true, is full and got nothing. Called as
     * {@link #found}.
     */
    default void refused(Match match) {
        throw new IllegalStateException("nobody may refuse");
    }
}
