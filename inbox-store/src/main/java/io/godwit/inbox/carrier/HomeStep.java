package io.godwit.inbox.carrier;

import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.kv.client.RangeException;
import org.jspecify.annotations.Nullable;

/** One command for one inbox, on its way. Guarded by the lock of its {@link HomeCarrier}. */
abstract class HomeStep {
    static final int OVERHEAD_BYTES = 256;

    final InboxId inbox;
    /** Place in the order of all. */
    long number;

    long deadlineNanos;

    HomeStep(InboxId inbox) {
        this.inbox = inbox;
    }

    abstract void send(InboxHome home, long round);

    /** On the heap, about. */
    abstract int bytes();

    /** Whether it is a message, else a command about the session. A message waits until its home has room. */
    abstract boolean isMessage();

    /** Of a message: equal for those that must stay in order. */
    int orderHash() {
        return 0;
    }

    /** It is being sent; {@link #send} follows. */
    void sending() {}

    /** Whether nobody needs it any more. */
    boolean isAbandoned() {
        return false;
    }

    /** Whether it may not be sent now. */
    boolean mustWait() {
        return false;
    }

    /** It was refused. Returns what is to be told; null for nothing. */
    @Nullable
    Runnable refused() {
        return null;
    }

    /** It fails, without having been sent. Returns what is to be told; null for nothing. */
    abstract @Nullable Runnable giveUp(RangeException cause);
}
