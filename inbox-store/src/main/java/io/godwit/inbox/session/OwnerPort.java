package io.godwit.inbox.session;

import org.jspecify.annotations.Nullable;

/** What the node of connections tells the owner of their client ids. In order; nothing is answered within the call. */
interface OwnerPort {
    /** The enrolment begins: what is not told from here to {@link #done} is neither had nor waited for. */
    void begin();

    void acquire(long number, IdKey key, @Nullable String userName, boolean sameUserOnly);

    void hold(long number, IdKey key, @Nullable String userName, Grant grant);

    /** The connection has it no more, or waits no more. */
    void release(long number);

    void done();

    /** Whether there is room for another {@link #acquire} or {@link #hold}. The rest may be told at any time. */
    boolean hasRoom();
}
