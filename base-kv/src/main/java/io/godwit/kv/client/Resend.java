package io.godwit.kv.client;

/**
 * Whether a request that no leader has carried out may be sent to a leader, be it for the first time or again. Not sent
 * to other nodes. Any thread; costs little, since locks are held.
 */
@FunctionalInterface
public interface Resend {
    /** Of a request that is needed whatever happens meanwhile. */
    Resend ALWAYS = () -> false;

    /** Whether it must not be sent any more. Stays so. */
    boolean isAbandoned();

    /** Whether it must not be sent now; later it may be, or {@link #isAbandoned} says that it never will. */
    default boolean mustWait() {
        return false;
    }
}
