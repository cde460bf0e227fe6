package io.godwit.kv.coprocessor;

import io.godwit.kv.client.RangeException;

/**
 * A mutation on its way into the log. It waits in the batcher until a log entry is sealed; only then is it encoded, so
 * that it may still grow or be cancelled. Confined to the range executor.
 */
public abstract class Proposal {
    private enum State {
        NEW,
        WAITING,
        SEALED,
        CANCELLED
    }

    private State state = State.NEW;

    /** Bytes that {@link #encode} will give, about; bounds the size of an entry. */
    public abstract int sizeHint();

    /**
     * Whether it is taken while free disk is below the low-water mark, when what users add is refused with
     * {@code DISK_FULL}: a deletion, a mark, the bookkeeping of what is there already. Below half of that mark it is
     * refused as well.
     */
    public boolean isRelieving() {
        return false;
    }

    /** The mutation, as {@link RangeCoprocessor#apply} gets it. Called once, when the entry is sealed. */
    public abstract byte[] encode();

    /** Committed, fsynced and applied. Proposals of one range are told in the order they were sealed. */
    public abstract void applied(byte[] reply);

    /**
     * Not known to be applied: it may be, after {@code TIMEOUT} or {@code STORE_FAILED}; it is not after the other
     * causes.
     */
    public abstract void failed(RangeException cause);

    /**
     * Takes it back while it still waits: then it is never encoded and neither {@code applied} nor {@code failed} is
     * called.
     */
    public final boolean cancel() {
        if (state != State.WAITING) {
            return false;
        }
        state = State.CANCELLED;
        return true;
    }

    public final boolean isCancelled() {
        return state == State.CANCELLED;
    }

    /** For the batcher: it has been queued. */
    public final void markWaiting() {
        if (state != State.NEW) {
            throw new IllegalStateException("proposed twice");
        }
        state = State.WAITING;
    }

    /** For the batcher: it is about to be encoded. */
    public final void markSealed() {
        if (state != State.WAITING) {
            throw new IllegalStateException("sealed in state " + state);
        }
        state = State.SEALED;
    }
}
