package io.godwit.kv.range.apply;

import io.godwit.kv.coprocessor.Proposal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A log entry in progress, with the proposals that wait for it. Its outcome is set and read on the range executor. */
public final class SealedEntry {
    public enum Outcome {
        PENDING,
        APPLIED,
        /** The log refused it; nothing was written. */
        REJECTED,
        /** It may or may not be in the log. */
        UNKNOWN
    }

    private final List<Proposal> proposals;
    private final List<byte[]> mutations;
    private final long bytes;
    private Outcome outcome = Outcome.PENDING;
    /** When it was first passed to the log; 0 before. */
    private long appendedNanos;

    private @Nullable List<byte[]> replies;

    public SealedEntry(List<Proposal> proposals, List<byte[]> mutations, long bytes) {
        this.proposals = proposals;
        this.mutations = mutations;
        this.bytes = bytes;
    }

    public List<Proposal> proposals() {
        return proposals;
    }

    /** Not changed after sealing, so the apply thread may read it: passing it to the log orders the accesses. */
    public List<byte[]> mutations() {
        return mutations;
    }

    public long bytes() {
        return bytes;
    }

    /** The entry was passed to the log; only the first call counts. */
    public void appended(long nowNanos) {
        if (appendedNanos == 0) {
            appendedNanos = nowNanos;
        }
    }

    public long appendedNanos() {
        return appendedNanos;
    }

    public Outcome outcome() {
        return outcome;
    }

    public List<byte[]> replies() {
        if (replies == null) {
            throw new IllegalStateException("no replies in state " + outcome);
        }
        return replies;
    }

    public void applied(List<byte[]> result) {
        outcome = Outcome.APPLIED;
        replies = result;
    }

    public void ended(Outcome how) {
        outcome = how;
    }

    public void retried() {
        outcome = Outcome.PENDING;
    }
}
