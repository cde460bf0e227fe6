package io.godwit.kv.client;

/**
 * Whether a request that no leader has carried out may be sent to a leader, be it for the first time or again. Of this
 * only {@link #servingSince} is told to other nodes. Any thread; costs little, since locks are held.
 */
@FunctionalInterface
public interface Resend {
    /** Of a request that is needed whatever happens meanwhile. */
    Resend ALWAYS = () -> false;

    /** Whether it must not be sent any more. Stays so. */
    boolean isAbandoned();

    /** A request of the same sender has failed. */
    default void failed() {}

    /**
     * Whether a request that was not sent yet must not be sent at all, since an earlier one of the same sender has
     * failed and nobody was told: the sender sends both again, in order.
     */
    default boolean mayNotBegin() {
        return false;
    }

    /** Whether it must not be sent now; later it may be, or {@link #isAbandoned} says that it never will. */
    default boolean mustWait() {
        return false;
    }

    /**
     * The revision of the agreed members since which the sender serves, when the request counts only while it does; 0
     * when the request counts whatever becomes of the sender. The leader's node is told: what a link has taken it sends
     * again by itself, and nothing here is asked then.
     */
    default long servingSince() {
        return 0;
    }

    /**
     * Asked by a leader about what another node has sent, when it is about to carry that out: whether it must not. It
     * answers then as one that does not lead.
     */
    default boolean mustNotBeTaken() {
        return false;
    }
}
