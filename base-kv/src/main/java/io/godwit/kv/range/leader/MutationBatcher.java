package io.godwit.kv.range.leader;

import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.coprocessor.Proposal;
import io.godwit.kv.range.apply.SealedEntry;
import io.godwit.kv.range.apply.SealedEntry.Outcome;
import io.godwit.kv.range.replica.RangeSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the proposals of one leadership into log entries. Up to {@link #MAX_IN_FLIGHT} entries are in flight. Later
 * proposals wait, and can be cancelled, until one of them is done. So batches grow with the load, and nothing waits for
 * a timer.
 *
 * <p>A mutation larger than the log accepts fails when it is sealed, and is counted. In the log it would stop every
 * follower for good, because it could not be sent to them. The makers of mutations keep them far smaller; this is the
 * last check.
 *
 * <p>Outcomes are told in the order of the entries. An entry that the log is too busy for is proposed again after a
 * pause, together with the entries behind it. If one behind it was accepted, a retry would change the order, so the
 * entry fails instead.
 *
 * <p>Confined to the range executor. {@link #add} calls no proposal back.
 */
final class MutationBatcher {
    static final int MAX_IN_FLIGHT = 4;
    static final int SMALL_IN_FLIGHT = 2;
    static final int MAX_MUTATIONS = 256;
    /** A single larger mutation goes alone. */
    static final int MAX_BYTES = 256 * 1024;

    /**
     * More than {@link #MAX_IN_FLIGHT} entries may be in flight if each is one large mutation and they have at most
     * this many bytes together. Then they share a sync of the log, which takes that many bytes at once. Otherwise every
     * four of them would need a sync, and proposals behind dozens of megabytes would wait for many syncs of a slow
     * disk.
     */
    static final int MAX_LARGE_BYTES_IN_FLIGHT = 8 << 20;

    static final long RETRY_MILLIS = 10;

    /** The log that entries are appended to. */
    interface EntryLog {
        /** Never blocks. The outcome is reported later, on the range executor, and not from inside this call. */
        void append(SealedEntry entry);

        /** Runs {@code task} on the range executor after a pause. */
        void later(long delayMillis, Runnable task);
    }

    /**
     * A proposal that is refused with the next {@link #flush}.
     *
     * @param position number of proposals that were ever queued before it
     */
    private record Refused(Proposal proposal, long position) {}

    private static final Logger LOG = LoggerFactory.getLogger(MutationBatcher.class);

    private final EntryLog log;
    private final long maxPendingBytes;
    private final int maxMutationBytes;
    /** Shared by several ranges. */
    private final LongAdder tooLarge;

    private final Deque<Proposal> waiting = new ArrayDeque<>();
    private final Deque<SealedEntry> inFlight = new ArrayDeque<>();
    private final List<Refused> refused = new ArrayList<>();
    /** Encoded and found too large, but not told yet. */
    private final List<Proposal> oversized = new ArrayList<>(0);

    private long waitingBytes;
    /** Number of proposals that have ever left {@link #waiting}. */
    private long taken;

    private long inFlightBytes;
    private boolean retrying;
    private boolean closed;

    MutationBatcher(EntryLog log, RangeSettings settings, LongAdder tooLarge) {
        this.log = log;
        this.maxPendingBytes = settings.maxPendingBytes();
        this.maxMutationBytes = settings.maxMutationBytes();
        this.tooLarge = tooLarge;
    }

    /**
     * Queues a proposal; {@link #flush} sends it. Above the limit of pending bytes, {@link #flush} fails it with
     * {@code OVERLOADED}.
     */
    void add(Proposal proposal) {
        proposal.markWaiting();
        int size = proposal.sizeHint();
        long pending = waitingBytes + inFlightBytes;
        if (pending > 0 && pending + size > maxPendingBytes) {
            refused.add(new Refused(proposal, taken + waiting.size()));
            return;
        }
        waiting.add(proposal);
        waitingBytes += size;
    }

    /** Seals and sends the entries that may be sent. Called when the executor has drained a batch of tasks. */
    void flush() {
        if (!refused.isEmpty()) {
            List<Proposal> told = refused.stream().map(Refused::proposal).toList();
            refused.clear(); // cleared first, because the callbacks may add more
            failAll(
                    told,
                    new RangeException(Cause.OVERLOADED, "more than " + maxPendingBytes + " bytes wait for the log"));
        }
        while (!closed && !retrying && maySeal()) {
            SealedEntry entry = seal();
            if (!entry.proposals().isEmpty()) {
                inFlight.add(entry);
                inFlightBytes += entry.bytes();
                log.append(entry);
            }
            if (!oversized.isEmpty()) {
                tellOversized();
            }
        }
    }

    private void tellOversized() {
        List<Proposal> told = List.copyOf(oversized);
        oversized.clear(); // cleared first, because the callbacks may add more
        tooLarge.add(told.size());
        LOG.warn("mutations refused for their size count={} allowedBytes={}", told.size(), maxMutationBytes);
        failAll(told, new RangeException(Cause.TOO_LARGE, "a mutation may have " + maxMutationBytes + " bytes"));
    }

    /** Whether nothing waits or is in flight. */
    boolean isIdle() {
        return inFlight.isEmpty() && refused.isEmpty() && waiting.stream().allMatch(Proposal::isCancelled);
    }

    /**
     * Whether an entry may be sealed. One entry is being synced and a second waits for the next sync. A third would
     * wait as long as its mutations do here, where they can still be batched and cancelled. So beyond two, only full
     * entries leave.
     */
    private boolean maySeal() {
        int entries = inFlight.size();
        Proposal next = waiting.peek();
        if (next == null) {
            return false;
        }
        if (entries >= MAX_IN_FLIGHT) {
            return next.sizeHint() >= MAX_BYTES && inFlightBytes + next.sizeHint() <= MAX_LARGE_BYTES_IN_FLIGHT;
        }
        return entries < SMALL_IN_FLIGHT || waiting.size() >= MAX_MUTATIONS || waitingBytes >= MAX_BYTES;
    }

    private SealedEntry seal() {
        int capacity = Math.min(MAX_MUTATIONS, waiting.size());
        List<Proposal> proposals = new ArrayList<>(capacity);
        List<byte[]> mutations = new ArrayList<>(capacity);
        long bytes = 0;
        for (Proposal next = waiting.peek(); next != null && proposals.size() < MAX_MUTATIONS; next = waiting.peek()) {
            int size = next.sizeHint();
            if (!next.isCancelled()) {
                if (!proposals.isEmpty() && bytes + size > MAX_BYTES) {
                    break;
                }
                next.markSealed();
                byte[] mutation = next.encode();
                if (mutation.length > maxMutationBytes) {
                    oversized.add(next);
                } else {
                    bytes += mutation.length;
                    proposals.add(next);
                    mutations.add(mutation);
                }
            }
            waiting.remove();
            taken++;
            // a proposal may have grown since it was added, so the sum is only a bound on memory
            waitingBytes = waiting.isEmpty() ? 0 : Math.max(0, waitingBytes - size);
        }
        return new SealedEntry(proposals, mutations, bytes);
    }

    /** The entry is committed and applied. */
    void applied(SealedEntry entry, List<byte[]> replies) {
        if (!closed) {
            entry.applied(replies);
            settle();
        }
    }

    /** The log was too busy and accepted nothing of this entry. */
    void rejected(SealedEntry entry) {
        if (!closed) {
            entry.ended(Outcome.REJECTED);
            settle();
        }
    }

    /** The outcome of the entry is unknown. */
    void unknown(SealedEntry entry) {
        if (!closed) {
            entry.ended(Outcome.UNKNOWN);
            settle();
        }
    }

    private void settle() {
        for (SealedEntry head = inFlight.peek(); head != null && !closed; head = inFlight.peek()) {
            switch (head.outcome()) {
                case PENDING -> {
                    return;
                }
                case APPLIED -> {
                    remove(head);
                    tellApplied(head);
                }
                case UNKNOWN -> {
                    remove(head);
                    failAll(
                            head.proposals(),
                            new RangeException(Cause.TIMEOUT, "leadership ended before the entry was applied"));
                }
                case REJECTED -> {
                    if (!settleRejected(head)) {
                        return;
                    }
                }
            }
        }
    }

    /** Returns false while it must wait. */
    private boolean settleRejected(SealedEntry head) {
        if (inFlight.stream().anyMatch(entry -> entry.outcome() == Outcome.PENDING)) {
            return false;
        }
        if (inFlight.stream().allMatch(entry -> entry.outcome() == Outcome.REJECTED)) {
            if (!retrying) {
                retrying = true;
                log.later(RETRY_MILLIS, this::retry);
            }
            return false;
        }
        remove(head);
        failAll(head.proposals(), new RangeException(Cause.OVERLOADED, "the log was busy"));
        return true;
    }

    private void retry() {
        if (!closed) {
            retrying = false;
            inFlight.forEach(SealedEntry::retried);
            List.copyOf(inFlight).forEach(log::append);
        }
    }

    private void remove(SealedEntry head) {
        inFlight.remove();
        inFlightBytes -= head.bytes();
    }

    private static void tellApplied(SealedEntry entry) {
        List<Proposal> proposals = entry.proposals();
        List<byte[]> replies = entry.replies();
        for (int i = 0; i < proposals.size(); i++) {
            proposals.get(i).applied(replies.get(i));
        }
    }

    /**
     * Ends the batcher: sealed proposals fail with {@code sealedCause}.
     *
     * @return the proposals that were neither sealed nor cancelled, in order; they have not been told
     */
    List<Proposal> close(RangeException sealedCause) {
        closed = true;
        List<SealedEntry> sealed = List.copyOf(inFlight);
        inFlight.clear();
        List<Proposal> unsealed = new ArrayList<>(waiting);
        for (int i = refused.size() - 1; i >= 0; i--) { // from the last on, so that earlier positions stay valid
            int position = (int) Math.max(0, refused.get(i).position() - taken);
            unsealed.add(position, refused.get(i).proposal());
        }
        unsealed.removeIf(Proposal::isCancelled);
        refused.clear();
        waiting.clear();
        sealed.forEach(entry -> failAll(entry.proposals(), sealedCause));
        return unsealed;
    }

    private static void failAll(List<Proposal> proposals, RangeException cause) {
        for (Proposal proposal : proposals) {
            if (!proposal.isCancelled()) {
                proposal.failed(cause);
            }
        }
    }
}
