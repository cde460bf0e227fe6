package io.godwit.inbox.session.port;

import org.jspecify.annotations.Nullable;

/**
 * Messages of the node of the connections to the owner of their client ids. In order; nothing is answered within the
 * call.
 */
public interface OwnerPort {
    /** The enrolment begins: claims that are not sent between here and {@link #done} do not exist. */
    void begin();

    void acquire(long number, IdKey key, @Nullable String userName, boolean sameUserOnly);

    void hold(long number, IdKey key, @Nullable String userName, Grant grant);

    /** The connection has released the id, or waits no longer. */
    void release(long number);

    void done();

    /** Whether there is room for another {@link #acquire} or {@link #hold}. Other calls are always allowed. */
    boolean hasRoom();
}
