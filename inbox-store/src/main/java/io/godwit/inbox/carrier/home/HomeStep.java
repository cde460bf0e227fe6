package io.godwit.inbox.carrier.home;

import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.RangeException;
import org.jspecify.annotations.Nullable;

/** One command for one inbox, on its way to a home. Guarded by the lock of its {@link HomeFlows}. */
abstract class HomeStep {
    static final int OVERHEAD_BYTES = 256;

    final InboxId inbox;
    /** Position in the order of all commands. */
    long number;

    long deadlineNanos;

    HomeStep(InboxId inbox) {
        this.inbox = inbox;
    }

    abstract void send(InboxHome home, long round);

    /** Approximate heap size. */
    abstract int bytes();

    /** Whether it is a message rather than a command about the session. A message waits until its home has room. */
    abstract boolean isMessage();

    /** For a message: equal for messages that must stay in order. */
    int orderHash() {
        return 0;
    }

    /** It is being sent; {@link #send} follows. */
    void sending() {}

    /** Whether the caller no longer needs it. */
    boolean isAbandoned() {
        return false;
    }

    /** Whether it must not be sent now. */
    boolean mustWait() {
        return false;
    }

    /** It was refused. Returns an answer to give; null for none. */
    @Nullable
    Runnable refused() {
        return null;
    }

    /** Fails it without having sent it. Returns an answer to give; null for none. */
    abstract @Nullable Runnable giveUp(RangeException cause);
}
