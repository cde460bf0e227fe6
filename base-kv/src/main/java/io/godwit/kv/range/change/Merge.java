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
 * Joins a range with its right neighbour, which ends. Both have the same members and are led by this node; whoever
 * wants to merge others moves a leader first. The right one's data goes through the left one's log, page by page, so
 * that every replica of the left one has it whatever it knows of the right one. Meant for ranges with little in them:
 * the right one stands still meanwhile.
 *
 * <p>Steps, each an entry that a majority has, with what the end of either leadership leaves:
 *
 * <ol>
 *   <li>Left: {@link RangeCommand.Absorb}. Who leads it next gives up ({@link RangeCommand.Refrain}).
 *   <li>Right: frozen as for a split, then {@link RangeCommand.Yield}: it serves nothing any more. Who leads it next
 *       asks the left one what has become of it, again and again: {@link MergeSequel#checkLeaving}.
 *   <li>Left: {@link RangeCommand.Copy} for each page. What was copied lies beyond the left one's end, where nobody
 *       looks, and the next attempt deletes it.
 *   <li>Left: frozen, then {@link RangeCommand.Join}: from here on the keys are its own. Given up before, it can be
 *       joined no more, since Join wants the very Absorb it began with; so the right one goes on
 *       ({@link RangeCommand.Resume}) once the left one says, by a linearizable read, that it neither absorbs it nor
 *       has its keys.
 *   <li>Right: {@link RangeCommand.Retire}. Each replica that applies it is buried and its files are deleted; what
 *       still comes there is forwarded.
 * </ol>
 *
 * <p>The databases of the left one are flushed with Join, so that no start finds keys that neither has. Requests that
 * wait at the right one are forwarded when Join is applied, and those that come to the left one by themselves wait for
 * them: none overtakes another of its key.
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
     * Begins; returns at once. Completes on a range executor or an I/O thread.
     *
     * @param leftEpoch that this was decided for; likewise {@code rightEpoch}
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
                    // nothing was written: what the left one absorbs, if it does, is another merge's
                    case BUSY, STALE -> CompletableFuture.completedFuture(absorbing);
                });
    }

    private CompletableFuture<ChangeOutcome> yieldRight(byte[] first) {
        return right.change(new RangeCommand.Yield(rightEpoch, leftId))
                .thenCompose(yielding -> yielding == ChangeOutcome.DONE ? copy(first) : giveUp(yielding));
    }

    /** A page from {@code from} on, then the next; at the end, or after a failure, the last steps. */
    private CompletableFuture<ChangeOutcome> copy(byte[] from) {
        CompletableFuture<Page> read = new CompletableFuture<>();
        io.execute(() -> {
            try {
                read.complete(right.read(reader -> page(reader.cursor(from, null))));
            } catch (RuntimeException e) { // closed, or damaged: nobody else would learn of it
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
                            ? copy(Arrays.copyOf(last, last.length + 1)) // the least key above it
                            : giveUp(copied));
        });
    }

    /** @param isFailed whether nothing could be read */
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

    /** Whatever becomes of this: it is joined, and the leaders see to the rest. */
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
     * The right one goes on when it finds that the left one has given up. When that cannot be written now it is tried
     * again and again, or the left one's next leader does it: until then nobody serves the right one's keys.
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
