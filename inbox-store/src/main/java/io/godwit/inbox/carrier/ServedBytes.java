package io.godwit.inbox.carrier;

import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The budget of one edge at the node of the leaders: heap of its commands that are decoded and not answered. The link
 * bounds encoded frames on their way only, and takes a frame for done when its command has been handed to a leader.
 *
 * <p>Beyond the budget, commands that bring something to store are refused with {@code OVERLOADED}, before a leader
 * hears of them. What ends something or frees something is always taken: it makes room. One command may be larger than
 * what is left, so the budget is passed by a frame at most.
 *
 * <p>Atomic, because the link's thread adds and range executors take away.
 */
final class ServedBytes {
    private final AtomicLong bytes = new AtomicLong();
    private final long most;

    /** @param most in bytes, at least 1 */
    ServedBytes(long most) {
        this.most = most;
    }

    boolean isSpent() {
        return bytes.get() >= most;
    }

    void add(long more) {
        bytes.addAndGet(more);
    }

    void release(long less) {
        bytes.addAndGet(-less);
    }

    /** Any thread. */
    long get() {
        return bytes.get();
    }

    RangeException overloaded() {
        return new RangeException(
                Cause.OVERLOADED, "commands of " + most + " bytes from one node wait at the leaders of another");
    }

    /** Whether it brings something to store. */
    static boolean fills(SessionCommand command) {
        return command instanceof SessionCommand.Attach || command instanceof SessionCommand.KeepWill;
    }

    /** Whether it brings something to store. */
    static boolean fills(AttachmentCommand command) {
        return command instanceof AttachmentCommand.Receive
                || command instanceof AttachmentCommand.Replay
                || command instanceof AttachmentCommand.Subscribe;
    }
}
