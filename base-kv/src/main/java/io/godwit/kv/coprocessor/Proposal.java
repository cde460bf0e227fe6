package io.godwit.kv.coprocessor;

import io.godwit.kv.client.RangeException;

/**
 * A mutation that waits for its log entry. It is encoded only when the entry is sealed, so until then it may grow or be
 * cancelled. Confined to the range executor.
 */
public abstract class Proposal {
    private enum State {
        NEW,
        WAITING,
        SEALED,
        CANCELLED
    }

    private State state = State.NEW;

    /** Approximate size of the result of {@link #encode} in bytes; bounds the size of an entry. */
    public abstract int sizeHint();

    /**
     * Whether the proposal is accepted while free disk is below the low-water mark, when other proposals are refused
     * with {@code DISK_FULL}: a deletion, a mark, or a record about existing data. Below half of that mark it is
     * refused as well.
     */
    public boolean isRelieving() {
        return false;
    }

    /** The mutation, as passed to {@link RangeCoprocessor#apply}. Called once, when the entry is sealed. */
    public abstract byte[] encode();

    /**
     * Called when the mutation is committed, fsynced and applied. Proposals of one range are told in the order in which
     * they were sealed.
     */
    public abstract void applied(byte[] reply);

    /**
     * Called when the mutation is not known to be applied. After {@code TIMEOUT} or {@code STORE_FAILED} it may be;
     * after the other causes it is not.
     */
    public abstract void failed(RangeException cause);

    /**
     * Cancels the proposal if it still waits. Then it is never encoded, and neither {@code applied} nor {@code failed}
     * is called.
     *
     * @return whether it was cancelled
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

    /** For the batcher: the proposal was queued. */
    public final void markWaiting() {
        if (state != State.NEW) {
            throw new IllegalStateException("proposed twice");
        }
        state = State.WAITING;
    }

    /** For the batcher: the proposal is about to be encoded. */
    public final void markSealed() {
        if (state != State.WAITING) {
            throw new IllegalStateException("sealed in state " + state);
        }
        state = State.SEALED;
    }
}
