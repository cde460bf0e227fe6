package io.godwit.kv.range.change;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.coprocessor.RangeCursor;
import io.godwit.kv.range.state.RangeCommand;
import io.godwit.kv.range.state.RangeState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges a range with its right neighbour, which ends. Both have the same members and are led by this node; the caller
 * moves a leader first if necessary. The right range's data goes through the left range's log, page by page, so that
 * every replica of the left range gets it, whatever it has of the right range. Meant for ranges with little data,
 * because the right range does not serve meanwhile.
 *
 * <p>Steps, each a committed entry, and what happens if either leadership ends after it:
 *
 * <ol>
 *   <li>Left: {@link RangeCommand.Absorb}. The next leader of the left range gives up ({@link RangeCommand.Refrain}).
 *   <li>Right: frozen as for a split, then {@link RangeCommand.Yield}: it no longer serves. Its next leader asks the
 *       left range repeatedly for the outcome: {@link MergeSequel#checkLeaving}. By then the left range
 *       may have ended, or moved to other nodes.
 *   <li>Left: {@link RangeCommand.Copy} for each page. The copied keys are beyond the left range's end, where nobody
 *       reads, and the next attempt deletes them.
 *   <li>Left: frozen, then {@link RangeCommand.Join}: from here on the keys are its own. A merge that was given up
 *       before cannot be joined any more, because Join requires the very Absorb that it began with. So the right range
 *       serves again ({@link RangeCommand.Resume}) once the left range says, by a linearizable read, that it neither
 *       absorbs it nor has its keys.
 *   <li>Right: {@link RangeCommand.Retire}. Each replica that applies it is buried and its files are deleted; requests
 *       that still arrive there are forwarded.
 * </ol>
 *
 * <p>Each replica of the left range flushes its database with Join, so that no start finds keys that neither range has.
 * When Join is applied, requests waiting at the right range are forwarded, and direct requests to the left range wait
 * for them: no request overtakes another of its key.
 */
public final class Merge {
    private static final Logger LOG = LoggerFactory.getLogger(Merge.class);
    private static final int PAGE_BYTES = 512 << 10;
    private static final int PAGE_ENTRIES = 4_096;

    private final MergeSequel left;
    private final MergeSequel right;
    private final long leftEpoch;
    private final long rightEpoch;
    private final long leftId;
    private final long rightId;
    private final Executor io;

    private Merge(MergeSequel left, RangeState leftState, MergeSequel right, RangeState rightState, Executor io) {
        this.left = left;
        this.right = right;
        this.leftEpoch = leftState.epoch();
        this.rightEpoch = rightState.epoch();
        this.leftId = leftState.id();
        this.rightId = rightState.id();
        this.io = io;
    }

    /**
     * Begins a merge; returns at once. Completes on a range executor or an I/O thread.
     *
     * @param leftEpoch the epoch that this was decided for; likewise {@code rightEpoch}
     */
    public static CompletableFuture<ChangeOutcome> run(
            MergeSequel left, long leftEpoch, MergeSequel right, long rightEpoch, Executor io) {
        RangeState leftState = left.state();
        RangeState rightState = right.state();
        if (leftState.epoch() != leftEpoch
                || rightState.epoch() != rightEpoch
                || !leftState.isSettled()
                || !rightState.isSettled()
                || !leftState.isLeftOf(rightState)
                || !leftState.members().equals(rightState.members())) {
            return CompletableFuture.completedFuture(ChangeOutcome.STALE);
        }
        return new Merge(left, leftState, right, rightState, io).absorb(rightState.bounds());
    }

    private CompletableFuture<ChangeOutcome> absorb(RangeBounds rightBounds) {
        return left.change(new RangeCommand.Absorb(leftEpoch, rightId, rightEpoch, rightBounds.end()))
                .thenCompose(absorbing -> switch (absorbing) {
                    case DONE -> yieldRight(rightBounds.start());
                    case UNKNOWN -> giveUp(absorbing);
                    // nothing was written; if the left range absorbs, it does so for another merge
                    case BUSY, STALE -> CompletableFuture.completedFuture(absorbing);
                });
    }

    private CompletableFuture<ChangeOutcome> yieldRight(byte[] first) {
        return right.change(new RangeCommand.Yield(rightEpoch, leftId))
                .thenCompose(yielding -> yielding == ChangeOutcome.DONE ? copy(first) : giveUp(yielding));
    }

    /** Copies the page at {@code from}, then the next; at the end joins, after a failure gives up. */
    private CompletableFuture<ChangeOutcome> copy(byte[] from) {
        CompletableFuture<Page> read = new CompletableFuture<>();
        io.execute(() -> {
            try {
                read.complete(right.read(reader -> page(reader.cursor(from, null))));
            } catch (RuntimeException e) { // closed or damaged; not logged elsewhere
                LOG.warn("merge not done left={} right={} cause={}", left.groupId(), right.groupId(), e.toString());
                read.complete(Page.FAILED);
            }
        });
        return read.thenCompose(page -> {
            if (page.isFailed()) {
                return giveUp(ChangeOutcome.BUSY);
            }
            if (page.entries().isEmpty()) {
                return join();
            }
            byte[] last = page.entries().get(page.entries().size() - 1).key();
            return left.change(new RangeCommand.Copy(leftEpoch, rightId, page.entries()))
                    .thenCompose(copied -> copied == ChangeOutcome.DONE
                            ? copy(Arrays.copyOf(last, last.length + 1)) // the lowest key above it
                            : giveUp(copied));
        });
    }

    /** @param isFailed whether the read has failed */
    private record Page(List<RangeCommand.Entry> entries, boolean isFailed) {
        static final Page FAILED = new Page(List.of(), true);
    }

    private static Page page(RangeCursor cursor) {
        List<RangeCommand.Entry> entries = new ArrayList<>();
        long bytes = 0;
        try (cursor) {
            for (cursor.seekToFirst();
                    cursor.isValid() && bytes < PAGE_BYTES && entries.size() < PAGE_ENTRIES;
                    cursor.next()) {
                RangeCommand.Entry entry = new RangeCommand.Entry(cursor.key(), cursor.value());
                bytes += entry.key().length + entry.value().length;
                entries.add(entry);
            }
        }
        return new Page(entries, false);
    }

    private CompletableFuture<ChangeOutcome> join() {
        return left.change(new RangeCommand.Join(leftEpoch, rightId, rightEpoch))
                .thenCompose(joined -> {
                    if (joined != ChangeOutcome.DONE) {
                        return giveUp(joined);
                    }
                    return right.change(new RangeCommand.Retire(rightEpoch + 1)).thenCompose(this::forget);
                });
    }

    /** The merge counts as done in any case, because the ranges are joined; the leaders see to the rest. */
    private CompletableFuture<ChangeOutcome> forget(ChangeOutcome retired) {
        CompletableFuture<ChangeOutcome> forgotten = retired == ChangeOutcome.DONE
                ? left.change(new RangeCommand.Forget(left.state().epoch(), rightId))
                : CompletableFuture.completedFuture(retired);
        return forgotten.thenApply(outcome -> {
            left.checkJoined();
            return ChangeOutcome.DONE;
        });
    }

    /**
     * Gives up: the left range refrains, and the right one serves again when it finds that out. If the left range
     * cannot write this now, it is repeated, or its next leader does it. Until then nobody serves the right range's
     * keys.
     */
    private CompletableFuture<ChangeOutcome> giveUp(ChangeOutcome why) {
        return left.change(new RangeCommand.Refrain(leftEpoch, rightId)).thenApply(refrained -> {
            if (refrained != ChangeOutcome.DONE) {
                left.checkAbsorbing(leftEpoch, rightId);
            }
            right.checkLeaving();
            return why;
        });
    }
}
