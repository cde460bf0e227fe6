package io.godwit.kv.client;

import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request that no leader has carried out may be sent to a leader, for the first time or again. Other
 * nodes get only {@link #servingSince} and the number of {@link #place}. Any thread; must be fast, because locks are
 * held.
 */
@FunctionalInterface
public interface Resend {
    /** For a request that is needed in any case. */
    Resend ALWAYS = () -> false;

    /** Whether the request must not be sent any more. Once true, it stays true. */
    boolean isAbandoned();

    /** Reports that a request of the same sender has failed. */
    default void failed() {}

    /**
     * Whether a request that was never sent must not be sent, because an earlier one of the same sender has failed
     * before anybody was told. The sender then sends both again, in order.
     */
    default boolean mayNotBegin() {
        return false;
    }

    /**
     * The place of the request among those of its sender of which none may be carried out after an earlier one has
     * failed; null if the request has none, or its delivery token names one. Another node gets the number of the place;
     * each link numbers the orders anew.
     */
    default @Nullable RequestPlace place() {
        return null;
    }

    /** Whether the request must not be sent now. It may be sent later, unless {@link #isAbandoned} becomes true. */
    default boolean mustWait() {
        return false;
    }

    /**
     * The revision of the agreed members since which the sender serves, if the request is valid only while it does; 0
     * if the request is valid in any case. The leader's node gets this value, because a link repeats by itself what it
     * has accepted, without asking this object.
     */
    default long servingSince() {
        return 0;
    }

    /**
     * Asked by a leader that is about to carry out a request of another node: whether it must not. The leader then
     * answers as if it did not lead.
     */
    default boolean mustNotBeTaken() {
        return false;
    }
}
