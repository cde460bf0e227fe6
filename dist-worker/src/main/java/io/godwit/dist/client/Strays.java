package io.godwit.dist.client;

/** Is told which matches of a delivery have no session any more, so that their routes go and shared groups choose another member. */
@FunctionalInterface
public interface Strays {
    /** Nobody asks. */
    Strays IGNORED = (delivery, match) -> {};

    /**
     * The session of {@code match}, one of {@code delivery}, has ended: it got nothing. Called on any thread, before the future of the delivery
     * completes, for one match after the other; returns at once.
     */
    void found(Delivery delivery, Match match);
}
