package io.godwit.inbox.carrier.peer;

import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The budget of one edge at the leaders' node: heap of its decoded commands that are not answered. The link itself
 * bounds only encoded frames in transit, and counts a frame as done when its command has been passed to a leader.
 *
 * <p>Beyond the budget, commands that bring something to store are refused with {@code OVERLOADED}, before they reach a
 * leader. Commands that end or free something are always taken, because they make room. One command may be larger than
 * the rest of the budget, so one frame may exceed it.
 *
 * <p>Atomic, because the link's thread adds and range executors subtract.
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
                Cause.OVERLOADED, "commands of " + most + " bytes from one node wait for leaders on another");
    }

    /** Whether the command brings something to store. */
    static boolean fills(SessionCommand command) {
        return command instanceof SessionCommand.Attach || command instanceof SessionCommand.KeepWill;
    }

    /** Whether the command brings something to store. */
    static boolean fills(AttachmentCommand command) {
        return command instanceof AttachmentCommand.Receive
                || command instanceof AttachmentCommand.Replay
                || command instanceof AttachmentCommand.Subscribe;
    }
}
